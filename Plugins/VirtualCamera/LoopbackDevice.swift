import CV4L2
import Glibc
import GreenroomPlugin
import GreenroomSystem
import SystemPackage

/// A device of v4l2loopback that frames are written to. One thread at a time.
final class LoopbackDevice {
    private let path: String
    private let descriptor: Int32
    /// A frame without padding.
    private var packed: [UInt8] = []

    /// Opens a device for frames of one size.
    ///
    /// - Throws: ``PluginError`` with the path, the reason and the fix.
    init(_ path: String, _ capability: VideoCapability) throws(PluginError) {
        self.path = path
        descriptor = greenroom_v4l2_open_output(
            path, UInt32(clamping: capability.size.width),
            UInt32(clamping: capability.size.height), capability.rate.numerator,
            capability.rate.denominator)
        guard descriptor >= 0 else {
            throw PluginError(
                "\(path): \(Self.reason(descriptor, errno, capability.size))",
                status: .unavailable)
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Writes a frame.
    ///
    /// - Returns: Whether the device took it: false if its readers hold all its buffers.
    func write(_ frame: borrowing OutputFrame) throws(PluginError) -> Bool {
        packed.removeAll(keepingCapacity: true)
        for plane in 0..<frame.planeCount {
            for row in 0..<frame.geometry(ofPlane: plane).rows {
                frame.row(row, ofPlane: plane).withUnsafeBufferPointer {
                    packed.append(contentsOf: $0)
                }
            }
        }
        let count = Glibc.write(descriptor, packed, packed.count)
        if count == packed.count { return true }
        if count < 0, errno == EAGAIN || errno == EINTR { return false }
        let reason = count < 0 ? "\(Errno.last)" : "the device accepted only part of a frame"
        throw PluginError("\(path): writing failed: \(reason)", status: .unavailable)
    }

    private static func reason(_ code: Int32, _ error: Int32, _ size: FrameSize) -> String {
        switch Int(code) {
        case GREENROOM_V4L2_NOT_OPENED:
            "cannot open the device: \(Errno(rawValue: error)); load v4l2loopback, and "
                + "check 'device' and its permissions"
        case GREENROOM_V4L2_NOT_A_DEVICE:
            "not a video device; name a v4l2loopback device, such as /dev/video10"
        case GREENROOM_V4L2_NOT_AN_OUTPUT:
            "not a video output device; name a v4l2loopback device, and if a "
                + "program reads from it now, stop that first"
        default:
            "the device does not accept I420 in \(size); set 'width' and 'height', or stop the program "
                + "that uses it"
        }
    }
}
