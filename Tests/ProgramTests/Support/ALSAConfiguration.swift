import Glibc
import SessionTestSupport
import TestSupport

/// A file for `ALSA_CONFIG_PATH`, whose path can't contain a space; it is deleted with its owner.
final class ALSAConfiguration {
    let path: String

    init(_ text: String) throws {
        var name = Array("/tmp/greenroom-alsa-XXXXXX".utf8CString)
        let descriptor = mkstemp(&name)
        guard descriptor >= 0 else { throw Failure("can't make a file in /tmp") }
        defer { close(descriptor) }
        path = String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        let bytes = Array(text.utf8)
        guard write(descriptor, bytes, bytes.count) == bytes.count else {
            throw Failure("can't write \(path)")
        }
    }

    deinit { unlink(path) }
}
