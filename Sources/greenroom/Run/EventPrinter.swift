import FoundationEssentials
import Glibc
import GreenroomHost
import GreenroomMedia
import Synchronization

/// Shows what happens in a session: a status line on a terminal, plain lines elsewhere, or
/// one JSON object a line for programs.
final class EventPrinter: Sendable {
    enum Style: Sendable {
        /// Lines on standard error, the last of which is rewritten.
        case terminal
        /// Lines on standard error.
        case plain
        /// JSON lines on a descriptor.
        case json(Int32)

        /// How often it is shown how the session stands; nil for never.
        var statusMicroseconds: UInt32? {
            switch self {
            case .terminal: 250_000
            case .json: 1_000_000
            case .plain: nil
            }
        }
    }

    private struct State {
        var hasStatusLine = false
        var last: (seconds: Double, accepted: [String: Int])?
    }

    private let style: Style
    private let begun = ContinuousClock.now
    private let state = Mutex(State())

    init(style: Style) {
        self.style = style
    }

    /// Shows an event. [any]
    func show(_ event: SessionEvent) {
        guard case .json = style else {
            if let line = event.line { show(line: line) }
            return
        }
        var record = event.record
        record.time = Double((ContinuousClock.now - begun).nanoseconds) / 1e9
        write(record)
    }

    /// Shows how the session stands. [any]
    func show(_ snapshot: SessionSnapshot) {
        let rates = state.withLock { state in
            let accepted = Dictionary(
                uniqueKeysWithValues: snapshot.pictures.map { ($0.track, $0.accepted) })
            defer { state.last = (snapshot.seconds, accepted) }
            return accepted.mapValues { _ in 0.0 }.merging(
                accepted.map { track, count in
                    guard let last = state.last, snapshot.seconds > last.seconds else {
                        return (track, Double(count) / max(snapshot.seconds, 0.001))
                    }
                    let frames = Double(count - (last.accepted[track] ?? 0))
                    return (track, frames / (snapshot.seconds - last.seconds))
                }, uniquingKeysWith: { $1 })
        }
        switch style {
        case .json:
            var record = EventRecord(event: "status")
            record.time = snapshot.seconds
            record.pictures = snapshot.pictures.map {
                EventRecord.Picture(
                    track: $0.track, accepted: $0.accepted, refused: $0.refused,
                    dropped: $0.dropped, fps: rates[$0.track] ?? 0)
            }
            record.concealed = snapshot.sound.concealed
            write(record)
        case .terminal:
            let pictures = snapshot.pictures.map { picture in
                let rate = Self.oneDigit(rates[picture.track] ?? 0)
                return "\(picture.track) \(rate) fps, \(picture.dropped) dropped"
            }
            let clock =
                "\(Int(snapshot.seconds) / 60):"
                + (Int(snapshot.seconds) % 60 < 10 ? "0" : "")
                + "\(Int(snapshot.seconds) % 60)"
            let sound =
                snapshot.sound.concealed > 0
                ? ["sound late \(snapshot.sound.concealed / 48) ms"] : []
            let line = (["sending \(clock)"] + pictures + sound).joined(separator: "  ")
            state.withLock { state in
                state.hasStatusLine = true
                Self.write("\r\u{1B}[K\(line)", to: STDERR_FILENO)
            }
        case .plain:
            break
        }
    }

    /// Shows a line.
    func show(line: String) {
        state.withLock { state in
            let start = state.hasStatusLine ? "\r\u{1B}[K" : ""
            state.hasStatusLine = false
            Self.write("\(start)\(line)\n", to: STDERR_FILENO)
        }
    }

    private func write(_ record: EventRecord) {
        guard case .json(let descriptor) = style else { return }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let text = try? encoder.encode(record) else { return }
        state.withLock { _ in
            Self.write(String(decoding: text, as: UTF8.self) + "\n", to: descriptor)
        }
    }

    private static func oneDigit(_ number: Double) -> String {
        let tenths = Int((number * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }

    private static func write(_ text: String, to descriptor: Int32) {
        var text = text
        text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while let base = rest.baseAddress, !rest.isEmpty {
                let count = Glibc.write(descriptor, base, rest.count)
                guard count > 0 || errno == EINTR else { return }
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(max(count, 0)))
            }
        }
    }
}

/// An event as JSON; what an event does not have is left out.
struct EventRecord: Codable, Sendable {
    struct Picture: Codable, Sendable {
        var track: String
        var accepted: Int
        var refused: Int
        var dropped: Int
        var fps: Double
    }

    var event: String
    var time: Double?
    var role: String?
    var level: String?
    var status: String?
    var step: String?
    var seconds: Double?
    var capability: String?
    var answer: String?
    var output: String?
    var text: String?
    var pictures: [Picture]?
    var concealed: Int?

    init(event: String) { self.event = event }
}

extension SessionEvent {
    /// The event for people; nil for what they need not see.
    var line: String? {
        switch self {
        case .agreed(let role, let agreement):
            switch agreement.answer {
            case .accept: "\(role): \(agreement.track), as suggested"
            case .counter: "\(role): \(agreement.track), as it countered"
            case .fixed:
                agreement.source == agreement.track
                    ? "\(role): \(agreement.track), which is fixed"
                    : "\(role): \(agreement.track), adapted from its fixed \(agreement.source)"
            }
        case .renegotiated(let role, let record):
            "\(role): \(record.track ?? record.suggested), \(record.reason)"
        case .commanded(let origin, let text): "\(text) (\(origin))"
        case .started: "sending"
        case .pluginLog(let role, let level, let text):
            level == .debug ? nil : "\(role): \(level == .info ? "" : "\(level.rawValue): ")\(text)"
        case .stepFailed(let role, let step, let status, let reason):
            "\(role): \(step) failed (\(status)): \(reason)"
        case .callbackHangs(let role, let callback, let seconds):
            "\(role): \(callback) has not returned after \((seconds * 10).rounded() / 10) s"
        case .pluginGaveUp(let role, let status, let reason):
            status == .ok ? "\(role): ended: \(reason)" : "\(role): gave up (\(status)): \(reason)"
        case .pluginDropped(let role): "\(role): the session goes on without it"
        case .outputFailed(let output, let reason): "\(output): failed: \(reason)"
        case .note(let role, let text): "\(role): \(text)"
        case .stopping(let reason): "stopping: \(reason)"
        case .ended: nil
        }
    }

    /// The event for programs.
    var record: EventRecord {
        var record: EventRecord
        switch self {
        case .agreed(let role, let agreement):
            record = EventRecord(event: "agreed")
            record.role = role
            record.capability = agreement.track.description
            record.answer = agreement.answer.name
        case .renegotiated(let role, let negotiation):
            record = EventRecord(event: "renegotiated")
            record.role = role
            record.capability = negotiation.track
            record.answer = negotiation.answer
            record.text = negotiation.reason
        case .commanded(let origin, let text):
            record = EventRecord(event: "commanded")
            record.role = origin
            record.text = text
        case .started:
            record = EventRecord(event: "started")
        case .pluginLog(let role, let level, let text):
            record = EventRecord(event: "log")
            record.role = role
            record.level = level.rawValue
            record.text = text
        case .stepFailed(let role, let step, let status, let reason):
            record = EventRecord(event: "step-failed")
            record.role = role
            record.step = step
            record.status = status.description
            record.text = reason
        case .callbackHangs(let role, let callback, let seconds):
            record = EventRecord(event: "callback-hangs")
            record.role = role
            record.step = callback
            record.seconds = seconds
        case .pluginGaveUp(let role, let status, let reason):
            record = EventRecord(event: "plugin-gave-up")
            record.role = role
            record.status = status.description
            record.text = reason
        case .pluginDropped(let role):
            record = EventRecord(event: "plugin-dropped")
            record.role = role
        case .outputFailed(let output, let reason):
            record = EventRecord(event: "output-failed")
            record.output = output
            record.text = reason
        case .note(let role, let text):
            record = EventRecord(event: "note")
            record.role = role
            record.text = text
        case .stopping(let reason):
            record = EventRecord(event: "stopping")
            record.text = reason
        case .ended:
            record = EventRecord(event: "ended")
        }
        return record
    }
}
