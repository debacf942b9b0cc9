import GreenroomConfig
import GreenroomLifecycle
import GreenroomRoom
import GreenroomSchema

/// What people write, and peers of a room.
enum TextTarget {
    static func sessionFile(_ bytes: [UInt8]) {
        do {
            let file = try SessionFile.read(bytes, file: "session.yaml", folder: "/nowhere")
            _ = file.warnings.map { file.source.render($0, isWarning: true) }
        } catch {
            // The message shows lines of the file.
            _ = "\(error)"
        }
    }

    static func controlLines(_ bytes: [UInt8]) {
        var lines = ControlLines()
        for line in lines.append(bytes) + [lines.finish()].compactMap(\.self) {
            if case .failure(let problem) = line.result { _ = problem.message }
        }
    }

    /// An offer of a connection, in SDP.
    static func offer(_ bytes: [UInt8]) {
        _ = try? SessionOffer(String(decoding: bytes, as: UTF8.self))
    }
}
