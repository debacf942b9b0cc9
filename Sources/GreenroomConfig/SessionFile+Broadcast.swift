import GreenroomModel
import GreenroomSchema
import GreenroomSession

extension SessionFile {
    /// Keys that a share from a broadcast can't have.
    ///
    /// - Parameter root: The file.
    static func conflicts(ofBroadcastIn root: ConfigNode) -> [ConfigurationProblem] {
        // A plugin besides a broadcast is reported already.
        guard let role = SessionRole.ofBroadcasts, let share = root.section(of: role),
            share.value(of: "broadcast") != nil, share.value(of: "plugin") == nil,
            case .mapping(let entries) = share.content
        else { return [] }
        let known = SessionDecoder.section(of: role).schema.section?.fields.map(\.key) ?? []
        let followers = SessionRole.allCases.filter { $0.facts.parent == role }.map(\.facts.key)
        return entries.filter { $0.key != "broadcast" && known.contains($0.key) }.map { entry in
            let reason =
                followers.contains(entry.key)
                ? "a broadcast sends its audio over the socket of its video"
                : "applies only to plugins; the host does not start a broadcast's process"
            return ConfigurationProblem(
                "\(reason). Remove it, or name a plugin in place of the broadcast.",
                at: role.rawValue.appending(key: entry.key), isOfKey: true)
        }
    }
}

extension ConfigNode {
    /// Whether a file's share is a broadcast.
    var hasBroadcast: Bool {
        SessionRole.ofBroadcasts.flatMap(section)?.value(of: "broadcast") != nil
    }
}

extension Decoder<String> {
    /// The path of a Unix socket, made absolute relative to the file's folder.
    static func socket(_ expectation: String) -> Decoder {
        let path = path(expectation)
        return Decoder(schema: path.schema) { node, place, reading in
            guard let socket = path.read(node, place, &reading) else { return nil }
            guard socket.utf8.count <= maximumSocketPathBytes else {
                reading.complain(
                    "the path of a socket may have \(maximumSocketPathBytes) bytes, and from / on "
                        + "this one has \(socket.utf8.count). Name one in a folder nearer to /, "
                        + "such as /run/greenroom.sock.", about: node, place)
                return nil
            }
            return socket
        }
    }

    /// The capacity of Linux's `sun_path`, 108 bytes, without its NUL.
    private static var maximumSocketPathBytes: Int { 107 }
}
