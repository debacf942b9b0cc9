import Glibc
public import GreenroomABI
import GreenroomBroadcast
import GreenroomMedia

/// `greenroom_broadcast_run`; see `greenroom/broadcast.h`.
@c(greenroom_broadcast_run)
public func broadcastRun(
    _ path: UnsafePointer<CChar>?, _ entry: UnsafePointer<gr_entry>?,
    _ text: UnsafeMutablePointer<CChar>?, _ capacity: UInt64
) -> gr_status {
    guard let path, let entry else {
        write("the path and the entry must not be NULL", to: text, capacity)
        return Status.badArgument.rawValue
    }
    do throws(BroadcastError) {
        try Broadcast.run(to: String(cString: path), entry: entry)
        write("the share is over", to: text, capacity)
        return Status.ok.rawValue
    } catch {
        write(error.description, to: text, capacity)
        return error.status.rawValue
    }
}

/// Copies a text, truncated to fit, with a NUL.
private func write(
    _ text: String, to buffer: UnsafeMutablePointer<CChar>?, _ capacity: UInt64
) {
    guard let buffer, capacity > 0 else { return }
    var count = 0
    for byte in text.utf8.prefix(Int(clamping: capacity) - 1) {
        buffer[count] = CChar(bitPattern: byte)
        count += 1
    }
    buffer[count] = 0
}
