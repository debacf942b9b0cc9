import CFFmpeg
import PluginEncoding
import MediaDecisions
import GreenroomPlugin

/// Decodes a file's video for positions that are asked for one after the other.
final class VideoReader {
    private let source: any MediaSource
    private var parameters: StreamParameters
    private var decoder: MediaDecoder
    private var damage: DamageLog
    private var leg: Int?
    private var isAtEnd = false
    /// Whether a frame of the leg is shown.
    private var isShown = false
    /// Whether the shown frame was returned.
    private var isSent = false
    /// Whether frames after the shown one could not be decoded.
    private var isDamaged = false
    /// The shown frame, and the next one.
    private var (shown, next): (MediaFrame?, MediaFrame?)
    /// A frame to decode into.
    private var spare: MediaFrame?
    /// The end of the last frame: the time of a frame without a timestamp.
    private var lastEnd: Int64 = 0
    /// The start of the last frame of the leg.
    private var lastStart = Int64.min

    init(_ source: any MediaSource, _ parameters: StreamParameters, host: PluginHost) throws {
        self.source = source
        self.parameters = parameters
        decoder = try MediaDecoder(parameters, threads: VideoFormat.threads(for: parameters))
        damage = DamageLog(name: source.name, host: host)
    }

    /// Timestamps of containers are rounded, to a millisecond in Matroska.
    private static let tolerance: Int64 = 1_000_000

    /// The frame that is shown at a time of the session's clock, and whether it was returned before and is only held: after
    /// the end or damage, or without a connection. nil if nothing can be decoded.
    func frame(at time: Int64) throws -> (frame: MediaFrame, isHeld: Bool)? {
        let place = source.place(at: time)
        if leg != place.leg.number {
            try begin(place.leg)
            leg = place.leg.number
            isAtEnd = false
            next = nil
            lastEnd = source.hasTimestamps ? place.leg.start : 0
            lastStart = .min
            (isDamaged, isShown) = (false, false)
            // The first frame of a leg replaces the one before, even if it is a little late.
            if let first = try decode(place) { show(first) }
        }
        if !isShown, let first = try decode(place) { show(first) }
        while true {
            if next == nil { next = try decode(place) }
            guard let next, next.start <= place.position + Self.tolerance,
                next.start < place.leg.end
            else { break }
            show(next)
            self.next = nil
        }
        guard let shown else { return nil }
        let late = place.position - shown.start - shown.duration
        let isHeld =
            place.isOver || isDamaged && late >= -Self.tolerance
            || next == nil && source.isLost && late >= frameDuration
        defer { isSent = true }
        return (shown, isHeld && isSent)
    }

    /// Prepares the decoder for a leg; a stream that connects again may have another format.
    private func begin(_ leg: Playback.Leg) throws {
        guard let now = source.parameters(of: .video), now !== parameters else {
            return decoder.flush()
        }
        decoder = try MediaDecoder(now, threads: VideoFormat.threads(for: now))
        parameters = now
    }

    private func show(_ frame: MediaFrame) {
        spare = shown
        shown = frame
        (isShown, isSent, isDamaged) = (true, false, false)
    }

    /// The next frame of the leg; nil at its end, and while a stream has none.
    private func decode(_ place: Playback.Place) throws -> MediaFrame? {
        guard !isAtEnd else { return nil }
        MediaTrack.video.beginDecoding(at: lastEnd)
        defer { MediaTrack.video.endDecoding() }
        let frame = try spare ?? MediaFrame()
        spare = nil
        let outcome = try decoder.decode(into: frame) {
            try source.packet(of: .video, at: place)
        } skips: { packet in
            guard let time = packet.time else { return false }
            let end =
                position(time) + nanoseconds(packet.pointer.pointee.duration, parameters.timeBase)
            return end + 2 * frameDuration < place.position
        } damaged: { code in
            damage.note(code, at: lastEnd)
            isDamaged = true
        }
        if outcome == .waiting, !isShown, source is FileSource { decoder.drain() }
        guard outcome == .frame else {
            isAtEnd = outcome == .end
            spare = frame
            return nil
        }
        let pointer = frame.pointer
        let time = pointer.pointee.best_effort_timestamp
        if !source.hasTimestamps || time == CFFMPEG_NO_TIME {
            frame.start = lastEnd
        } else {
            let start = position(time)
            // Frames come in the order of display. A time that goes back is wrong: MPEG-1's program streams have such.
            let isWrong = source is FileSource && start < lastStart
            frame.start = isWrong ? lastEnd : start
        }
        let duration = nanoseconds(pointer.pointee.pkt_duration, parameters.timeBase)
        frame.duration = duration > 0 ? duration : frameDuration
        (lastStart, lastEnd) = (frame.start, frame.start + frame.duration)
        return frame
    }

    private var frameDuration: Int64 { parameters.frameDuration }

    private func position(_ time: Int64) -> Int64 {
        nanoseconds(time, parameters.timeBase) - parameters.delay - source.origin
    }
}

/// Counts what can't be decoded, and logs it once.
struct DamageLog {
    let name: String
    let host: PluginHost
    private var hasTold = false

    init(name: String, host: PluginHost) {
        self.name = name
        self.host = host
    }

    mutating func note(_ code: Int32, at position: Int64) {
        host.countDamaged()
        guard !hasTold else { return }
        hasTold = true
        host.log(
            .warning,
            "\(name): damaged at \(seconds(position)) s (\(FFmpegError.text(of: code))); plays on")
    }
}

/// `12.345`
func seconds(_ nanoseconds: Int64) -> String {
    let milliseconds = max(nanoseconds / 1_000_000, 0)
    let rest = String(1000 + milliseconds % 1000).dropFirst()
    return "\(milliseconds / 1000).\(rest)"
}
