import GreenroomSystem
import TestSupport
import Testing

@testable import GreenroomIsolation

struct SHA256Tests {
    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// The examples of FIPS 180-2, and an empty text.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            String(repeating: "a", count: 1_000_000),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        ),
    ])
    func `examples have the standard's hash`(text: String, hash: String) {
        #expect(Self.hexadecimal(SHA256.hash(of: Array(text.utf8)[...])) == hash)
    }

    /// Around the ends of blocks, where the padding needs another block.
    @Test(arguments: [0, 1, 54, 55, 56, 57, 63, 64, 65, 119, 120, 128, 1000, 70_001])
    func `bytes in parts have the hash of sha256sum`(count: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ $0 >> 8) }
        let folder = try TemporaryFolder()
        let file = try folder.write("bytes", bytes)
        let run = try ChildProcess.run("sha256sum", [file])
        let expected = try #require(run.text.split(separator: " ").first)
        for part in [1, 7, 63, 64, 65, 200] where count < 2000 || part == 200 {
            var hash = SHA256()
            for start in stride(from: 0, to: count, by: part) {
                hash.update(bytes[start..<min(start + part, count)])
            }
            #expect(Self.hexadecimal(hash.finish()) == expected, "in parts of \(part)")
        }
        let ofFile = LibraryFile(file)?.hash() ?? []
        #expect(Self.hexadecimal(ofFile) == expected, "of the file")
    }
}
