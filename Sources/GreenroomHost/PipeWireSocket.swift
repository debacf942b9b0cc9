import Glibc
import GreenroomSystem
import SystemPackage

/// PipeWire's socket for programs of this user.
enum PipeWireSocket {
    /// The reason why programs cannot connect to PipeWire, and the fix; nil if they can.
    static var problem: String? {
        // PipeWire's library looks here.
        let name = environmentVariable("PIPEWIRE_REMOTE") ?? "pipewire-0"
        let folder =
            environmentVariable("PIPEWIRE_RUNTIME_DIR") ?? environmentVariable("XDG_RUNTIME_DIR")
        guard name.hasPrefix("/") || folder != nil else {
            return
                "no PipeWire: XDG_RUNTIME_DIR is not set. Run the session as the user of a desktop, "
                + "or start PipeWire and set it."
        }
        let path = name.hasPrefix("/") ? name : "\(folder ?? "")/\(name)"
        return failure(ofConnectingTo: path).map {
            "\(path): no PipeWire: \($0). Start it (systemctl --user start pipewire wireplumber), and run "
                + "the session as the same user."
        }
    }

    private static func failure(ofConnectingTo path: String) -> Errno? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let room = MemoryLayout.size(ofValue: address.sun_path) - 1
        guard path.utf8.count <= room else { return .fileNameTooLong }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let flags = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_UNIX, flags, 0)
        guard descriptor >= 0 else { return .last }
        defer { close(descriptor) }
        let isConnected = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        // A full queue still means that a server listens.
        return isConnected || Errno.last == .wouldBlock ? nil : .last
    }
}
