import CFFmpeg
import GreenroomPlugin
import PluginEncoding
import Synchronization

/// The destination of a recording's pieces: a file, or memory.
protocol PieceWriter: AnyObject {
    var path: String { get }
    /// The time at which it begins, in nanoseconds from the session's start.
    var start: Int64 { get set }
    /// Whether players skip the part of a packet that is before the start.
    var hidesEarlyMedia: Bool { get }
    /// Bytes in whole pieces.
    var size: Int64 { get }

    func write(_ packet: Packet) throws
    func finishPiece() throws
    func close() throws
}

/// The newest part of a recording, in memory.
final class ReplayMemory: PieceWriter {
    let hidesEarlyMedia = false

    /// A replay of ten minutes at 13 Mbit/s.
    private static let mostBytes = 1_000_000_000

    let path: String
    var start: Int64
    private var buffer: ReplayBuffer<Packet>

    init(path: String, start: Int64, seconds: Int, videoStreams: Set<Int>) {
        (self.path, self.start) = (path, start)
        buffer = ReplayBuffer(
            nanoseconds: Int64(seconds) * 1_000_000_000, mostBytes: Self.mostBytes,
            videoStreams: videoStreams)
    }

    var size: Int64 { Int64(buffer.byteCount) }
    /// The time that a replay would have.
    var seconds: Double {
        buffer.times.map { Double($0.last - $0.first) / 1_000_000_000 } ?? 0
    }

    func write(_ packet: Packet) {
        buffer.add(
            .init(
                packet, stream: packet.stream, start: packet.start,
                byteCount: Int(packet.pointer.pointee.size), isKey: packet.isKey))
    }

    func finishPiece() { buffer.drop() }

    func close() {}

    /// Copies of the packets, which share their memory.
    func packets() throws -> [Packet] {
        try buffer.entries.map { try Packet(sharing: $0.content) }
    }
}

/// A replay with its file. Nothing else uses its packets and its file.
struct ReplayFile: @unchecked Sendable {
    private let file: MediaFile
    private let packets: [Packet]

    var path: String { file.path }
    /// Bytes of the file.
    var size: Int64 { file.size }

    init(_ file: MediaFile, _ packets: [Packet]) { (self.file, self.packets) = (file, packets) }

    /// Writes the file, which takes as long as the disk does.
    func write() throws {
        var cell = FileTracks.cell(of: file.start)
        for packet in packets {
            let next = FileTracks.cell(of: packet.start)
            if next > cell { try file.finishPiece() }
            cell = max(cell, next)
            try file.write(packet)
        }
        try file.close()
    }

    /// The path, the length and the size, for the log.
    var words: String {
        let end = packets.map { $0.start + $0.duration }.max() ?? file.start
        let tenths = (end - file.start) / 100_000_000
        return "\(path): \(tenths / 10).\(tenths % 10) s, \(file.size) bytes"
    }
}

/// The writing of a replay, on a thread.
final class ReplaySave: Sendable {
    private let replay: ReplayFile
    private let host: PluginHost
    private let thread = Mutex<PluginThread?>(nil)
    private let hasEnded = Atomic(false)
    private let savedBytes = Atomic<Int64>(0)

    init(_ replay: ReplayFile, host: PluginHost) { (self.replay, self.host) = (replay, host) }

    var isDone: Bool { hasEnded.load(ordering: .acquiring) }

    /// Bytes of the file; 0 until it is complete.
    var bytes: Int64 { savedBytes.load(ordering: .acquiring) }

    func begin() throws {
        let started = try PluginThread(name: "replay") { [self] in
            do {
                try replay.write()
                savedBytes.store(replay.size, ordering: .releasing)
                host.log(.info, "replay saved in \(replay.words)")
                host.fileFinished(replay.path)
            } catch {
                host.log(.warning, "the replay is not saved: \(error)")
            }
            hasEnded.store(true, ordering: .releasing)
        }
        thread.withLock { $0 = started }
    }

    /// Waits for the end.
    func end() { thread.withLock { $0 }?.join() }
}
