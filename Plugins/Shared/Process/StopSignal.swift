internal import CLinux
internal import Glibc
internal import GreenroomPlugin
internal import SystemPackage

/// Tells a thread that waits for a stream to end.
package final class StopSignal: Sendable {
    /// Readable from ``set()`` on.
    package let descriptor: Int32
    private let other: Int32

    package init() throws {
        var ends: [Int32] = [-1, -1]
        let result = greenroom_pipe(&ends)
        guard result == 0 else {
            throw PluginError(
                "cannot make a pipe: \(Errno(rawValue: -result))", status: .unavailable)
        }
        (descriptor, other) = (ends[0], ends[1])
    }

    deinit {
        close(descriptor)
        close(other)
    }

    package func set() {
        var byte: UInt8 = 0
        write(other, &byte, 1)
    }
}
