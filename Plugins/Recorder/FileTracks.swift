import CFFmpeg
import GreenroomFiles
import GreenroomSchema
import PluginEncoding
import GreenroomPlugin

/// Brings the tracks' packets together in files.
///
/// The session's time is divided into cells of 250 ms. As soon as every track has come to the end of
/// a cell, its packets are written in the order of their times, as one piece of the file, so that a
/// process that is killed leaves all but the last cells. Files change at the start of a cell.
///
/// The times of packets alone decide in which cell they are, not the order in which tracks are
/// delivered, so that a session on the virtual clock writes the same bytes each time.
final class FileTracks {
    /// Decides when files change.
    struct Limits {
        /// 0: no limit.
        var seconds = 0
        /// 0: no limit.
        var bytes: Int64 = 0

        var areSet: Bool { seconds > 0 || bytes > 0 }
    }

    static let cellNanoseconds: Int64 = 250_000_000
    /// The distance between tracks after which the recording no longer waits for the slower one.
    private static let longestWait: Int64 = 5_000_000_000
    /// The usual number of cells that tracks may be ahead of the cell being written. A repeated frame
    /// arrives a second late.
    private static let lead: Int64 = 6

    /// The number of cells by which a file begins before its first frame or sample, if its tracks open in
    /// the middle of a session.
    private static let headStart: Int64 = 2

    /// The longest time between the first packets of two tracks that begin together, in nanoseconds.
    private static let longestStartGap: Int64 = 1_000_000_000

    /// The cell of a time.
    static func cell(of nanoseconds: Int64) -> Int64 { max(nanoseconds, 0) / cellNanoseconds }

    private let limits: Limits
    private let open: (_ start: Int64) throws -> any PieceWriter
    private let completed: (_ path: String) -> Void
    /// The number of the text track; nil without one.
    private let captionStream: Int?
    /// The file of captions beside the file that is written; nil before its first caption.
    private var captions: WebVTTWriter?
    private var captionPath = ""
    /// The start of the last caption of the text track.
    private var lastCaption: Int64 = 0
    private var file: any PieceWriter
    /// The number of the file, from 0.
    private var segment = 0
    /// The cells at which files end.
    private var cuts: [Int64] = []
    private let firstCell: Int64
    /// The cell of the first frame or sample that arrived: segments are counted from it.
    private let startCell: Int64
    /// The first cell that is not written.
    private var nextCell: Int64
    /// Whether nothing is written.
    private var isEmpty = true
    /// The start of a file that begins in the middle of the session; nil before its first packet.
    private var begin: Int64?
    /// Packets that are not written, each with its cell.
    private var pending: [(packet: Packet, cell: Int64)] = []
    /// The cell of the track that is furthest.
    private var furthestCell: Int64 = 0
    private var closedBytes: Int64 = 0
    /// The bytes of all files before each of the newest cells, the oldest one first.
    private var history: [Int64] = []

    /// Opens the first file.
    ///
    /// - Parameters:
    ///   - start: The time of the first frame or sample, in nanoseconds from the session's start. Other
    ///     tracks may begin up to half a second before it.
    ///   - captionStream: The number of the text track; nil without one.
    ///   - completed: Called with the path of each complete file.
    ///   - open: Creates the next file.
    init(
        from start: Int64, limits: Limits, captions captionStream: Int?,
        completed: @escaping (_ path: String) -> Void,
        open: @escaping (_ start: Int64) throws -> any PieceWriter
    ) throws {
        self.limits = limits
        self.completed = completed
        self.captionStream = captionStream
        self.open = open
        startCell = Self.cell(of: start)
        firstCell = max(startCell - Self.headStart, 0)
        nextCell = firstCell
        file = try open(firstCell * Self.cellNanoseconds)
    }

    /// The end of the session; nil before.
    private var end: Int64?

    /// Seconds of media that are written.
    var seconds: Double {
        let end = end ?? nextCell * Self.cellNanoseconds
        return Double(end - startCell * Self.cellNanoseconds) / 1_000_000_000
    }

    /// The end of the written cells, in nanoseconds.
    var written: Int64 { nextCell * Self.cellNanoseconds }

    /// Bytes of all files.
    var bytes: Int64 { closedBytes + file.size }

    /// The files so far.
    var fileCount: Int { segment + 1 }

    /// The file that is written.
    var path: String { file.path }

    /// The number of the file that has a time.
    ///
    /// - Parameter current: The number that the track had before.
    func segment(at nanoseconds: Int64, from current: Int) -> Int {
        let cell = Self.cell(of: nanoseconds)
        var current = current
        while true {
            if current >= cuts.count {
                guard limits.seconds > 0 else { return current }
                let length = Int64(limits.seconds) * 1_000_000_000 / Self.cellNanoseconds
                let cut = (cuts.last ?? startCell) + length
                guard cell >= cut else { return current }
                cuts.append(cut)
            }
            guard cell >= cuts[current] else { return current }
            current += 1
        }
    }

    /// Adds a packet. A track's packets come in the order of their times.
    func add(_ packet: Packet, cell: Int64) {
        // Only packets that a decoder of audio drops can precede the first file.
        if cell < firstCell { packet.start = max(packet.start, file.start) }
        pending.append((packet, max(cell, nextCell)))
    }

    /// Adds a caption to the current file. A caption from before the file begins at the start of the file.
    ///
    /// - Parameter replaces: Whether the file of captions may exist.
    func add(_ caption: CaptionEvent, replaces: Bool) throws {
        let start = max(caption.start, file.start)
        let end = max(caption.end, start)
        if captionPath.isEmpty {
            captionPath = file.path.replacingEnding(with: "vtt")
            captions = try WebVTTWriter(path: captionPath, replaces: replaces)
        }
        try captions?.add(
            caption.text, speaker: caption.speaker, from: start - file.start, to: end - file.start)
        guard let captionStream else { return }
        // A muxer refuses a track whose times go back.
        lastCaption = max(start, lastCaption)
        let packet = try Packet(
            text: caption.line, stream: captionStream, start: lastCaption,
            duration: max(end - lastCaption, 0))
        add(packet, cell: nextCell)
    }

    private func finishCaptions() throws {
        guard let writer = captions.take() else { return }
        defer { captionPath = "" }
        try writer.close()
        completed(captionPath)
    }

    /// Writes the cells that all tracks have passed.
    ///
    /// - Parameter ends: The end of each track so far, in nanoseconds; nil without media.
    /// - Returns: Whether something was written.
    func write(until ends: [Int64?]) throws -> Bool {
        let furthest = ends.compactMap(\.self).max() ?? 0
        let slowest = ends.map { $0 ?? 0 }.min() ?? 0
        let end = max(slowest, furthest - Self.longestWait)
        let before = nextCell
        furthestCell = max(furthestCell, Self.cell(of: furthest))
        while Self.cell(of: end) > nextCell { try writeCell() }
        return nextCell > before
    }

    /// Writes what is left, and completes the file.
    ///
    /// - Parameter ends: The end of each track, in nanoseconds; nil without media.
    func finish(at ends: [Int64?]) throws {
        while !pending.isEmpty { try writeCell() }
        try file.close()
        if end == nil { completed(file.path) }
        try finishCaptions()
        end = ends.compactMap(\.self).max()
    }

    private func writeCell() throws {
        if segment < cuts.count, nextCell >= cuts[segment] { try change() }
        let cell = nextCell
        var packets: [Packet] = []
        pending.removeAll { entry in
            guard entry.cell <= cell else { return false }
            packets.append(entry.packet)
            return true
        }
        packets.sort { ($0.start, $0.stream) < ($1.start, $1.stream) }
        if isEmpty, startCell > 0, begin == nil { begin = self.begin(with: packets) }
        if let begin {
            packets.removeAll { packet in
                guard packet.stream != captionStream else { return false }
                return file.hidesEarlyMedia
                    ? packet.start + packet.duration <= begin : packet.start < begin
            }
        }
        if isEmpty, !packets.isEmpty {
            if let begin { file.start = begin }
            isEmpty = false
        }
        for packet in packets {
            // A caption may be older than the file.
            if packet.stream == captionStream { packet.start = max(packet.start, file.start) }
            try file.write(packet)
        }
        // An MP4 file gets the starts of its tracks with its first piece.
        if !isEmpty { try file.finishPiece() }
        nextCell = cell + 1
        limitSize()
    }

    /// The start of a file that begins in the middle of the session: the first time at which each of its tracks
    /// has media. A track that begins over a second after another does not count.
    private func begin(with packets: [Packet]) -> Int64? {
        var starts: [Int: Int64] = [:]
        for packet in packets + pending.map(\.packet) where packet.stream != captionStream {
            starts[packet.stream] = min(packet.start, starts[packet.stream] ?? packet.start)
        }
        guard let first = starts.values.min() else { return nil }
        return starts.values.filter { $0 - first <= Self.longestStartGap }.max()
    }

    /// Ends the file below the size limit, with a margin because tracks may be several cells ahead.
    private func limitSize() {
        guard limits.bytes > 0 else { return }
        history.append(bytes)
        if history.count > Int(Self.lead) + 2 { history.removeFirst() }
        let coming = bytes - (history.first ?? bytes)
        guard cuts.count == segment, file.size + coming >= limits.bytes else { return }
        let cut = max(nextCell + Self.lead, furthestCell + 1)
        let longest = Int64(limits.seconds) * 1_000_000_000 / Self.cellNanoseconds
        guard longest == 0 || cut < (cuts.last ?? startCell) + longest else { return }
        cuts.append(cut)
    }

    private func change() throws {
        try file.close()
        completed(file.path)
        try finishCaptions()
        let next = try open(nextCell * Self.cellNanoseconds)
        closedBytes += file.size
        file = next
        segment += 1
    }
}

extension String {
    /// A path with another ending: `talk.vtt` of `talk.mkv`.
    fileprivate func replacingEnding(with ending: String) -> String {
        guard let dot = lastIndex(of: ".") else { return "\(self).\(ending)" }
        return "\(self[...dot])\(ending)"
    }
}
