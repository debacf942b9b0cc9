import Glibc
import GreenroomIPC
public import GreenroomMedia
import SystemPackage

/// The reason why a broadcast did not start, or ended.
public struct BroadcastError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A status documented for `greenroom_client_run`.
    public var status: Status
    /// The reason in words.
    public var description: String

    init(_ status: Status, _ description: String) {
        self.status = status
        self.description = description
    }

    /// Whether to retry: no host listens, it has another program, or it ended.
    public var isTemporary: Bool { status == .unavailable || status == .gone }
}

extension BroadcastError {
    static let hostGone = BroadcastError(.gone, "the host disconnected")

    init(connecting path: String, errno error: Int32) {
        switch error {
        case ENOENT, ECONNREFUSED:
            self.init(
                .unavailable,
                "no host listens at \(path): no session with this socket is running")
        case EAGAIN:
            self.init(.unavailable, "the host at \(path) is busy with other connections")
        case EPROTOTYPE: self.init(.badArgument, "the listener at \(path) is not a host")
        case EACCES, EPERM:
            self.init(
                .badArgument, "\(path) belongs to its host's user: run as that user, or as root")
        default:
            self.init(.badArgument, "can't connect to \(path): \(Errno(rawValue: error))")
        }
    }

    /// - Parameter refusal: nil for a reason unknown to this version.
    init(_ refusal: ProgramRefusal?) {
        let text = "the host refused this program: \(refusal?.text ?? "the reason is unknown")"
        switch refusal {
        case .version, .noGreeting, nil: self.init(.unsupported, text)
        case .user: self.init(.badArgument, text)
        case .isTaken, .isUnwanted, .isClosed: self.init(.unavailable, text)
        }
    }
}
