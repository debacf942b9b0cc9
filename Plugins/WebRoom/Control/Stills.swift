import CGreenroomKernels
import CTurboJPEG
import Foundation
import GreenroomPlugin
import RoomDecisions
import Synchronization

/// Single images of video tracks, taken on request: nothing is converted otherwise.
final class Stills: Sendable {
    /// The time for which a track is wanted after the last request.
    private static let lasting: Int64 = 5_000_000_000
    /// The time for which a request waits for an image.
    private static let longestWait = 4.0
    private static let rate = FrameRate(5)
    private static let mostWaiting = 8

    private struct State {
        var tracks: [UInt32: Track] = [:]
        /// The tracks that requests need, and the end of that need on the session clock.
        var wanted: [UInt32: Int64] = [:]
        /// Requests that wait for an image of a track.
        var waiting: [UInt32: Int] = [:]
        /// The images that were taken for them, counted.
        var pictures: [UInt32: (number: Int, picture: StillImage)] = [:]
        var taken = 0
    }

    private let host: PluginHost
    private let state = Mutex(State())
    private let taken = Signal()

    init(host: PluginHost) { self.host = host }

    // MARK: The session

    /// Adds a new track, or updates a changed one.
    ///
    /// - Returns: The want for still images.
    func describe(_ track: Track) -> TrackWant? {
        guard track.kind.isVideo else { return nil }
        return state.withLock { state in
            state.tracks[track.id] = track
            guard state.wanted[track.id] != nil else { return nil }
            return .video(VideoTrackWant(rate: Self.rate, matrix: .bt601))
        }
    }

    /// A participant's track has ended.
    func end(_ track: Track) {
        state.withLock { state in
            state.tracks[track.id] = nil
            state.wanted[track.id] = nil
            state.pictures[track.id] = nil
        }
    }

    /// Copies a frame that a request waits for. [media]
    func take(_ frame: borrowing OutputFrame) {
        let id = frame.track.id
        guard frame.format == .i420, state.withLock({ $0.waiting[id] != nil }) else { return }
        let picture = StillImage(frame)
        state.withLock { state in
            guard state.waiting[id] != nil else { return }
            state.taken += 1
            state.waiting[id] = nil
            state.pictures[id] = (state.taken, picture)
        }
        taken.post()
    }

    /// Wants nothing more of tracks that no request has named lately. Called every second.
    func expire() {
        let now = host.nowNanoseconds
        let hasExpired = state.withLock { state in
            let before = state.wanted.count
            state.wanted = state.wanted.filter { $0.value > now }
            let kept = state.wanted
            state.pictures = state.pictures.filter { kept[$0.key] != nil }
            return state.wanted.count < before
        }
        if hasExpired { host.wantsChanged() }
    }

    // MARK: Requests

    /// A JPEG of a track.
    ///
    /// - Parameter name: Its name, as in reports: `camera`, `share`, `ana-camera`.
    func jpeg(of name: String) async throws -> [UInt8] {
        let end = host.nowNanoseconds + Self.lasting
        let (id, isNew, seen) = try state.withLock { state throws(RequestError) in
            guard let id = state.tracks.values.first(where: { $0.name == name })?.id else {
                let names = state.tracks.values.map(\.name).sorted().joined(separator: ", ")
                throw RequestError(
                    .notFound,
                    "No video track \(name). Tracks: \(names.isEmpty ? "none" : names).")
            }
            guard state.waiting.values.reduce(0, +) < Self.mostWaiting else {
                throw RequestError(.full, "Too many requests for images: wait a moment.")
            }
            let isNew = state.wanted.updateValue(end, forKey: id) == nil
            state.waiting[id, default: 0] += 1
            return (id, isNew, state.taken)
        }
        if isNew { host.wantsChanged() }
        var isServed = false
        // Others may still wait for an image of the track.
        defer { if !isServed { giveUp(id) } }
        let deadline = Date.now.addingTimeInterval(Self.longestWait)
        while Date.now < deadline, !Task.isCancelled {
            let count = taken.count
            let picture = state.withLock { state in
                state.pictures[id].flatMap { $0.number > seen ? $0.picture : nil }
            }
            if let picture {
                isServed = true
                return try picture.jpeg()
            }
            await taken.wait(after: count, atMost: .seconds(deadline.timeIntervalSinceNow))
        }
        throw RequestError(.full, "No frame of \(name) arrived in time: try again.")
    }

    /// A request waits no more.
    private func giveUp(_ id: UInt32) {
        state.withLock { state in
            let rest = state.waiting[id, default: 1] - 1
            state.waiting[id] = rest > 0 ? rest : nil
        }
    }
}

/// A copy of a frame, in the full range of JPEG.
struct StillImage: Sendable {
    private let size: FrameSize
    /// Luma has an even number of columns and rows, as the encoder reads it: the last ones of an odd size are
    /// there twice.
    private let planes: [[UInt8]]
    private static let quality: Int32 = 85

    /// BT.601 of limited range, as full range.
    private static let luma = (0...255).map { value in
        UInt8(clamping: ((value - 16) * 255 + 109) / 219)
    }
    private static let chroma = (0...255).map { value in
        UInt8(clamping: Int((Double(value - 128) * 255 / 224).rounded()) + 128)
    }

    /// - Parameter frame: I420.
    init(_ frame: borrowing OutputFrame) {
        size = frame.size
        var planes: [[UInt8]] = []
        for index in 0..<frame.planeCount {
            let table = index == 0 ? Self.luma : Self.chroma
            let geometry = frame.geometry(ofPlane: index)
            var plane: [UInt8] = []
            let width = index == 0 ? Self.even(geometry.rowBytes) : geometry.rowBytes
            let rows = index == 0 ? Self.even(geometry.rows) : geometry.rows
            plane.reserveCapacity(width * rows)
            for row in 0..<rows {
                frame.row(min(row, geometry.rows - 1), ofPlane: index).withUnsafeBufferPointer {
                    plane.append(contentsOf: $0)
                    if $0.count < width, let last = $0.last { plane.append(last) }
                }
            }
            plane.withUnsafeMutableBufferPointer { samples in
                guard let first = samples.baseAddress else { return }
                greenroom_best_kernels().pointee
                    .replace(first, Int32(clamping: samples.count), table)
            }
            planes.append(plane)
        }
        self.planes = planes
    }

    private static func even(_ count: Int) -> Int { (count + 1) / 2 * 2 }

    /// - Throws: If it can't be encoded.
    func jpeg() throws(RequestError) -> [UInt8] {
        let (width, height) = (Self.even(size.width), Self.even(size.height))
        let widths = [width, width / 2, width / 2]
        let rows = [height, height / 2, height / 2]
        // Reject a copy that the host interrupted by taking the frame back.
        guard planes.count == 3,
            zip(planes, zip(widths, rows)).allSatisfy({ $0.count == $1.0 * $1.1 })
        else {
            throw RequestError(.failed, "The frame was gone before it could be copied: try again.")
        }
        guard let compressor = tjInitCompress() else {
            throw RequestError(.failed, "Out of memory for an image.")
        }
        defer { tjDestroy(compressor) }
        var file: UnsafeMutablePointer<UInt8>?
        var length: UInt = 0
        defer { tjFree(file) }
        let status = planes[0].withUnsafeBufferPointer { y in
            planes[1].withUnsafeBufferPointer { u in
                planes[2].withUnsafeBufferPointer { v in
                    var starts = [y.baseAddress, u.baseAddress, v.baseAddress]
                    let strides = widths.map { Int32(clamping: $0) }
                    return tjCompressFromYUVPlanes(
                        compressor, &starts, Int32(clamping: size.width), strides,
                        Int32(clamping: size.height), Int32(TJSAMP_420.rawValue), &file, &length,
                        Self.quality, 0)
                }
            }
        }
        guard status == 0, let file else {
            throw RequestError(.failed, "Encoding the image failed.")
        }
        return Array(UnsafeBufferPointer(start: file, count: Int(length)))
    }
}
