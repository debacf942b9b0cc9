import GreenroomSystem
import Glibc
import PluginImages
import Testing

struct ImageFileTests {
    @Test func `files that are not images are refused with path, rule and fix`() throws {
        #expect(errorCode(at: "/tmp") == .wrongFormat)
        #expect(errorCode(at: "/dev/null") == .wrongFormat)
        #expect(errorCode(at: "/no/such/image.png") == .cannotRead)
        #expect(try withTemporaryFile([]) { errorCode(at: $0) } == .wrongFormat)
        #expect(try withTemporaryFile(Array("GIF89a".utf8)) { errorCode(at: $0) } == .wrongFormat)

        let error = #expect(throws: FileError.self) {
            _ = try Image(contentsOf: "/no/such/image.png")
        }
        #expect(error?.description == "/no/such/image.png: no such file; check the path")
    }

    @Test func `a pipe without a writer is refused without waiting`() throws {
        let path = "/tmp/greenroom-image-pipe-\(getpid())"
        try #require(mkfifo(path, 0o600) == 0)
        defer { unlink(path) }
        #expect(errorCode(at: path) == .wrongFormat)
    }

    @Test func `a file without permission is refused`() throws {
        try withTemporaryFile([1]) { path in
            chmod(path, 0)
            // Root can read everything, and then finds no image.
            #expect(errorCode(at: path) == (geteuid() == 0 ? .wrongFormat : .cannotRead))
        }
    }
}
