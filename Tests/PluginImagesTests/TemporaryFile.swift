import Glibc
import Testing

/// Runs the body with the path of a file that holds the bytes, and removes it.
func withTemporaryFile<Result>(
    _ bytes: [UInt8], _ body: (String) throws -> Result
) throws -> Result {
    var template = Array("/tmp/greenroom-image-XXXXXX".utf8CString)
    let file = mkstemp(&template)
    try #require(file >= 0)
    let path = template.withUnsafeBufferPointer { text in
        String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
    defer { unlink(path) }
    let written = write(file, bytes, bytes.count)
    close(file)
    try #require(written == bytes.count)
    return try body(path)
}
