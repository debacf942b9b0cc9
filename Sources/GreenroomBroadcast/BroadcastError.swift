import Glibc
import GreenroomIPC
public import GreenroomMedia
import SystemPackage

/// Why a broadcast could not begin, or has ended.
public struct BroadcastError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One of those that `greenroom_broadcast_run` documents.
    public var status: Status
    /// The reason in words.
    public var description: String

    init(_ status: Status, _ description: String) {
        self.status = status
        self.description = description
    }

    /// Whether a later attempt may succeed: there is no host, it has another broadcast, or it has ended.
    public var isTemporary: Bool { status == .unavailable || status == .gone }
}

extension BroadcastError {
    static let hostGone = BroadcastError(.gone, "the host has disconnected")

    init(connecting path: String, errno error: Int32) {
        switch error {
        case ENOENT, ECONNREFUSED:
            self.init(
                .unavailable,
                "no host listens at \(path): no session with this broadcast is running")
        case EAGAIN:
            self.init(.unavailable, "the host at \(path) is busy with other connections")
        case EPROTOTYPE: self.init(.badArgument, "the listener at \(path) is no host")
        case EACCES, EPERM:
            self.init(
                .badArgument, "\(path) belongs to its host's user: run as that user, or as root")
        default:
            self.init(.badArgument, "can't connect to \(path): \(Errno(rawValue: error))")
        }
    }

    /// - Parameter refusal: nil for a reason that this version does not know.
    init(_ refusal: BroadcastRefusal?) {
        let text = "the host refused it: \(refusal?.text ?? "the reason is unknown")"
        switch refusal {
        case .version, .noGreeting, nil: self.init(.unsupported, text)
        case .user: self.init(.badArgument, text)
        case .isTaken, .isUnwanted, .isClosed: self.init(.unavailable, text)
        }
    }
}
