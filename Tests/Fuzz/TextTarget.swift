import GreenroomModel
import GreenroomConfig
import GreenroomLifecycle
import RoomDecisions
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
            if case .failure(let problem) = line.result { _ = problem.description }
        }
    }

    /// An offer of a connection, in SDP.
    static func offer(_ bytes: [UInt8]) {
        guard let offer = try? SDPDescription(String(decoding: bytes, as: UTF8.self)) else {
            return
        }
        for terms in [MediaTerms.guest, .viewer(videos: MediaTerms.mostVideos)] {
            guard let answer = try? SDPAnswer(to: offer, on: terms) else { continue }
            let given = answer.offerForRoom
            precondition((try? SDPDescription(given.text)) == given, "it is written otherwise")
            _ = try? answer.description(with: given).text
        }
        _ = try? ServerAnswer(offer, to: offer)
    }

    /// An offer, and after an empty line candidates that follow it.
    static func candidates(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        let end = text.firstRange(of: "\r\n\r\n")
        guard
            let fragment = try? CandidateFragment(
                String(text[(end?.upperBound ?? text.startIndex)...])),
            let end,
            let offer = try? SDPDescription(String(text[..<end.lowerBound]) + "\r\n"),
            let answer = try? SDPAnswer(to: offer, on: .guest)
        else { return }
        var target = answer.candidateTarget
        _ = try? target.take(fragment)
    }

    /// The head of a request to the room's server.
    static func request(_ bytes: [UInt8]) {
        let lines = String(decoding: bytes, as: UTF8.self)
            .split(separator: "\r\n", omittingEmptySubsequences: false).prefix { !$0.isEmpty }
        guard let words = lines.first?.split(separator: " "), words.count == 3 else { return }
        do {
            let head = try RequestHead(
                method: String(words[0]), target: String(words[1]), version: String(words[2]),
                fields: lines.dropFirst().map { line in
                    let sides = line.split(
                        separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                    return RequestHead.Field(
                        name: String(sides[0]), value: sides.count > 1 ? String(sides[1]) : "")
                })
            precondition(head.length >= 0, "a body has less than no bytes")
        } catch {
            _ = error.description
        }
    }
}
