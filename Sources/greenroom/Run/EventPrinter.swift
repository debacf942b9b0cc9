import FoundationEssentials
import Glibc
import GreenroomNegotiation
import GreenroomSession
import GreenroomPluginInterface
import GreenroomMedia
import Synchronization

/// Shows what happens in a session: a status line on a terminal, plain lines elsewhere, or
/// one JSON object a line for programs.
///
/// Nobody waits for whoever reads it: see ``PrintQueue``.
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

    /// What was shown of how the session stands.
    private struct Standing {
        var seconds = 0.0
        var accepted: [String: Int] = [:]
    }

    let style: Style
    private let queue: PrintQueue
    private let last = Mutex(Standing())

    init(style: Style) {
        self.style = style
        switch style {
        case .json(let descriptor):
            queue = PrintQueue(descriptor: descriptor) { count in
                var record = EventRecord(event: "left-out")
                record.text = Self.notice(of: count)
                return record.text(at: nil)
            }
        case .terminal, .plain:
            queue = PrintQueue(descriptor: STDERR_FILENO) { Self.notice(of: $0) }
        }
    }

    private static func notice(of count: Int) -> String {
        "\(count) lines dropped: reader too slow"
    }

    /// Shows an event. [any]
    func show(_ event: SessionEvent) {
        show(event.record, line: event.line)
    }

    /// Shows something: a record to programs, a line to people. [any]
    ///
    /// - Parameter line: nil for what people need not see.
    func show(_ record: EventRecord, line: String?) {
        if case .json = style {
            queue.add { record.text(at: record.time ?? $0) }
        } else if let line {
            queue.add { _ in line }
        }
    }

    /// Waits until all is written, or the reader has had a second for it.
    ///
    /// - Returns: Whether all is written.
    @discardableResult
    func finish() -> Bool { queue.finish(within: .seconds(1)) }

    /// Shows how the session stands. [any]
    func show(_ snapshot: SessionSnapshot) {
        let rates = rates(in: snapshot)
        switch style {
        case .json:
            var record = EventRecord(event: "status")
            record.time = snapshot.seconds
            record.pictures = zip(snapshot.pictures, rates).map { picture, rate in
                EventRecord.Video(
                    track: picture.track, accepted: picture.accepted, refused: picture.refused,
                    dropped: picture.dropped, fps: rate)
            }
            record.concealed = snapshot.sound.concealed
            record.real = snapshot.realPercents
            show(record, line: nil)
        case .terminal:
            let pictures = zip(snapshot.pictures, rates).map { picture, rate in
                "\(picture.track) \(Self.oneDigit(rate)) fps, \(picture.dropped) dropped"
            }
            let (minutes, seconds) = Int(snapshot.seconds).quotientAndRemainder(dividingBy: 60)
            let clock = "\(minutes):\(seconds < 10 ? "0" : "")\(seconds)"
            let sound =
                snapshot.sound.concealed > 0
                ? ["sound late \(snapshot.sound.concealed / 48) ms"] : []
            queue.show(
                status: (["sending \(clock)"] + pictures + sound).joined(separator: "  "))
        case .plain:
            break
        }
    }

    /// Frames a second of each picture since the last time.
    private func rates(in snapshot: SessionSnapshot) -> [Double] {
        last.withLock { last in
            let rates = snapshot.pictures.map { picture in
                let frames = picture.accepted - (last.accepted[picture.track] ?? 0)
                return Double(frames) / max(snapshot.seconds - last.seconds, 0.001)
            }
            last.seconds = snapshot.seconds
            for picture in snapshot.pictures { last.accepted[picture.track] = picture.accepted }
            return rates
        }
    }

    private static func oneDigit(_ number: Double) -> String {
        let tenths = Int((number * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}

extension EventRecord {
    /// The record on one line.
    func text(at seconds: Double?) -> String {
        var record = self
        record.time = seconds
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let text = try? encoder.encode(record) else { return "{}" }
        return String(decoding: text, as: UTF8.self)
    }
}

extension SessionEvent {
    /// The event for people; nil for what they need not see.
    var line: String? {
        switch self {
        case .agreed(let role, let agreement, _):
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
        case .explanation(let role, let record):
            record.explanation(role: role).joined(separator: "\n")
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
        case .broadcastArrived(let role, let text): "\(role): \(text) has connected"
        case .broadcastRefused(let role, let text): "\(role): \(text)"
        case .sharePaused(let role): "\(role): paused by its source"
        case .shareResumed(let role): "\(role): resumed by its source"
        case .pluginLost(let role, let evidence): "\(role): lost: \(evidence)"
        case .pluginRestarts(let role, let seconds):
            "\(role): it is started again in \(seconds) s"
        case .pluginReturned(let role, let seconds):
            "\(role): it is back after \((seconds * 10).rounded() / 10) s"
        case .sourceSilent(let role, _, let text): "\(role): \(text)"
        case .sourceSends(let role, let seconds):
            "\(role): it sends again after \((seconds * 10).rounded() / 10) s"
        case .pluginDropped(let role): "\(role): the session goes on without it"
        case .outputFailed(let output, let reason): "\(output): failed: \(reason)"
        case .note(let role, let text): "\(role): \(text)"
        case .stopping(let reason): "stopping: \(reason)"
        case .ended: nil
        }
    }
}
