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

    /// An offer, and after an empty line candidates that follow it.
    static func candidates(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        let end = text.firstRange(of: "\r\n\r\n")
        guard
            let fragment = try? CandidateFragment(
                String(text[(end?.upperBound ?? text.startIndex)...])),
            let end, let offer = try? SessionOffer(String(text[..<end.lowerBound]) + "\r\n")
        else { return }
        var target = CandidateTarget(offer)
        _ = try? target.take(fragment)
    }

    /// The head of a request to the room's server.
    static func request(_ bytes: [UInt8]) {
        guard let end = RequestHead.end(in: bytes, from: 0) else { return }
        do {
            let head = try RequestHead(bytes[..<end])
            precondition(head.length >= 0, "a body has less than no bytes")
        } catch {
            _ = error.text
        }
    }
}
