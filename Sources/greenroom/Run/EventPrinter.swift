import GreenroomModel
import Glibc
import GreenroomNegotiation
import GreenroomPluginInterface
import GreenroomMedia
import GreenroomSession
import GreenroomValidator
import Synchronization
import SystemPackage
import GreenroomOperate

/// Prints the events of a session: with a status line on a terminal, as journal entries under
/// systemd, as plain lines elsewhere, or as one JSON object per line.
///
/// Printing never waits for the reader: see ``PrintQueue`` and ``Journal``.
final class EventPrinter: Sendable {
    enum Style: Sendable {
        /// Lines on standard error, with a status line that is rewritten.
        case terminal
        /// Lines on standard error.
        case plain
        /// Entries of systemd's journal.
        case journal(Journal)
        /// JSON lines on a descriptor.
        case json(Int32)

        /// Interval of the status; nil if none.
        var statusMicroseconds: UInt32? {
            switch self {
            case .terminal: 250_000
            case .json: 1_000_000
            case .plain, .journal: nil
            }
        }
    }

    /// The last printed status.
    private struct Status {
        var seconds = 0.0
        var accepted: [String: Int] = [:]
    }

    let style: Style
    private let session: String
    private let queue: PrintQueue
    private let last = Mutex(Status())
    /// Whether the last object of a JSON stream was printed. Lock this before the queue.
    private let hasEnded = Mutex(false)

    /// - Parameter session: The session's name and process, for events in JSON.
    init(style: Style, session: String) {
        self.style = style
        self.session = session
        switch style {
        case .json(let descriptor):
            queue = PrintQueue(descriptor: descriptor, content: .json) { count in
                EventRecord.leftOut(count).text(at: nil, of: session)
            }
        case .terminal, .plain, .journal:
            queue = PrintQueue(descriptor: STDERR_FILENO, content: .text) {
                EventRecord.leftOutText($0)
            }
        }
    }

    /// Prints an event. [any]
    func show(_ event: SessionEvent) {
        show(event.record, line: event.line)
    }

    /// Prints a record as JSON, or a line as text. [any]
    ///
    /// - Parameter line: The text; nil if none.
    func show(_ record: EventRecord, line: String?) {
        switch style {
        case .json:
            // Drop late records: the status thread may be late.
            hasEnded.withLock { hasEnded in
                guard !hasEnded else { return }
                hasEnded = record.event == .ended
                queue.add { record.text(at: $0, of: session) }
            }
        case .journal(let journal):
            guard let line else { return }
            // Do not log the links: they are secrets, and the journal keeps its entries.
            let links =
                "The room is open. The system's journal must not contain links: set viewer-token, guest-token "
                + "and operator-token."
            journal.add(record, text: record.event == .links ? links : line)
        case .terminal, .plain:
            if let line { queue.add { _ in line } }
        }
    }

    /// Waits at most a second until all text is written.
    ///
    /// - Returns: Whether all text is written.
    @discardableResult
    func finish() -> Bool { queue.finish(within: .seconds(1)) }

    /// The first error of a write, except that the reader or the terminal is gone; nil if none.
    var failure: Errno? {
        queue.error.flatMap { [.brokenPipe, .ioError, .connectionReset].contains($0) ? nil : $0 }
    }

    /// Prints the status. [any]
    func show(_ snapshot: SessionSnapshot) {
        let rates = rates(in: snapshot)
        switch style {
        case .json:
            var record = EventRecord(event: .status)
            record.seconds = snapshot.seconds
            record.videoTracks = zip(snapshot.videoTracks, rates).map { video, rate in
                EventRecord.Video(
                    track: video.track, accepted: video.accepted, refused: video.refused,
                    dropped: video.dropped, fps: rate)
            }
            record.concealed = snapshot.audio.concealed
            record.real = snapshot.realPercents
            show(record, line: nil)
        case .terminal:
            let videos = zip(snapshot.videoTracks, rates).map { video, rate in
                "\(video.track) \(decimal(rate, 1)) fps, \(video.dropped) dropped"
            }
            let (minutes, seconds) = Int(snapshot.seconds).quotientAndRemainder(dividingBy: 60)
            let clock = "\(minutes):\(seconds < 10 ? "0" : "")\(seconds)"
            let audio =
                snapshot.audio.concealed > 0
                ? ["audio concealed \(snapshot.audio.concealed / 48) ms"] : []
            queue.show(
                status: (["sending \(clock)"] + videos + audio).joined(separator: "  "))
        case .plain, .journal:
            break
        }
    }

    /// The frame rate of each track since the last status.
    private func rates(in snapshot: SessionSnapshot) -> [Double] {
        last.withLock { last in
            let rates = snapshot.videoTracks.map { video in
                let frames = max(0, video.accepted - (last.accepted[video.track] ?? 0))
                return Double(frames) / max(snapshot.seconds - last.seconds, 0.001)
            }
            last.seconds = snapshot.seconds
            for video in snapshot.videoTracks { last.accepted[video.track] = video.accepted }
            return rates
        }
    }
}
