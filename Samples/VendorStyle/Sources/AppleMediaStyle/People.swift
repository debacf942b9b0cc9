/// Hears of the people of a session, on the main queue.
package protocol PeopleListener: AnyObject {
    /// A participant has joined.
    func joined(_ person: Track.Participant)
    /// A participant has left; the app has got all of their media that it wanted.
    func left(_ person: Track.Participant)
    /// The session or a participant has a track.
    func opened(_ track: Track)
    /// The track has ended. The end of an unwanted track is known when its participant leaves.
    func closed(_ track: Track)
    /// The format that the app wants of a track now; nil for none of it.
    func want(of track: Track) -> TrackWant?
}

/// The participants of a session's call, as an output learns of them from their tracks.
///
/// A mix-minus lasts from joining to leaving, so a receiver wants each, in the cheapest format.
package struct People {
    private struct Person {
        var participant: Track.Participant
        var open: [UInt32: Track] = [:]
        var wanted: Set<UInt32> = []
        var isLeaving = false
    }

    private static let presence = TrackWant.audio(
        AudioTrackWant(
            format: AudioFormat(sampleRate: 8000, channels: 1), blockFrames: 800))

    private var people: [UInt32: Person] = [:]
    private var gone: Set<UInt32> = []
    /// The session's own tracks.
    private var own: Set<UInt32> = []

    /// Nobody.
    package init() {}

    /// Answers for a track, as `onTrack` does.
    package mutating func want(of track: Track, _ listener: some PeopleListener) -> TrackWant? {
        guard let participant = track.participant else {
            if own.insert(track.id).inserted { MainQueue.run { listener.opened(track) } }
            return MainQueue.run { listener.want(of: track) }
        }
        // The last tracks of somebody who has left may close later.
        guard !gone.contains(participant.number) else { return nil }
        if people[participant.number] == nil {
            people[participant.number] = Person(participant: participant)
            MainQueue.run { listener.joined(participant) }
        }
        guard track.kind != .mixMinus else { return Self.presence }
        if people[participant.number]?.open.updateValue(track, forKey: track.id) == nil {
            MainQueue.run { listener.opened(track) }
        }
        let want = MainQueue.run { listener.want(of: track) }
        if want == nil {
            people[participant.number]?.wanted.remove(track.id)
        } else {
            people[participant.number]?.wanted.insert(track.id)
        }
        return want
    }

    /// A track has ended, as `onTrackEnded` says.
    package mutating func end(_ track: Track, _ listener: some PeopleListener) {
        guard let number = track.participant?.number, var person = people[number] else { return }
        if track.kind == .mixMinus { person.isLeaving = true }
        person.wanted.remove(track.id)
        var closed = person.open.removeValue(forKey: track.id).map { [$0] } ?? []
        let hasLeft = person.isLeaving && person.wanted.isEmpty
        if hasLeft {
            closed += person.open.values.sorted { $0.id < $1.id }
            gone.insert(number)
        }
        people[number] = hasLeft ? nil : person
        MainQueue.run {
            closed.forEach(listener.closed)
            if hasLeft { listener.left(person.participant) }
        }
    }
}

extension VideoTrackWant {
    /// A want of at most so many lines: a smaller track keeps its size.
    package init(format: PixelFormat, of track: Track, lines: Int) {
        guard let size = track.capability?.size else {
            let box = FrameSize(width: lines * 16 / 9 / 2 * 2, height: lines)
            self.init(format: format, size: box, matrix: .bt601)
            return
        }
        guard size.height > lines else {
            self.init(format: format, matrix: .bt601)
            return
        }
        let width = max(size.width * lines / size.height / 2 * 2, 2)
        self.init(format: format, size: FrameSize(width: width, height: lines), matrix: .bt601)
    }
}

extension CVPixelBuffer {
    /// Copies a frame of NV12 or BGRA.
    package convenience init?(copying frame: borrowing OutputFrame) {
        let type: OSType
        switch (frame.format, frame.color.range) {
        case (.nv12, .full): type = kCVPixelFormatType_420YpCbCr8BiPlanarFullRange
        case (.nv12, _): type = kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange
        case (.bgra, _): type = kCVPixelFormatType_32BGRA
        default: return nil
        }
        self.init(size: frame.size, type: type, alignment: 64)
        for (index, plane) in planes.enumerated() {
            for y in 0..<plane.rows {
                frame.row(y, ofPlane: index).withUnsafeBytes { row in
                    guard let source = row.baseAddress else { return }
                    memcpy(plane.base + y * plane.stride, source, min(row.count, plane.stride))
                }
            }
        }
    }
}

/// A copy of samples, or of a frame without padding.
package final class PackedMedia: @unchecked Sendable {
    /// The bytes.
    package let bytes: UnsafeMutableRawBufferPointer
    /// The start of each plane.
    package let planes: [Int]

    /// Copies a block.
    package init(_ block: borrowing OutputBlock) {
        let samples = block.samples
        bytes = .allocate(byteCount: max(samples.count * 2, 1), alignment: 16)
        planes = [0]
        samples.withUnsafeBytes { bytes.copyMemory(from: $0) }
    }

    /// Copies a frame.
    package init(_ frame: borrowing OutputFrame) {
        var (planes, size): ([Int], Int) = ([], 0)
        for plane in 0..<frame.planeCount {
            let geometry = frame.geometry(ofPlane: plane)
            planes.append(size)
            size += geometry.rowBytes * geometry.rows
        }
        self.planes = planes
        bytes = .allocate(byteCount: max(size, 1), alignment: 16)
        var offset = 0
        for plane in 0..<frame.planeCount {
            for y in 0..<frame.geometry(ofPlane: plane).rows {
                let row = frame.row(y, ofPlane: plane)
                let target = UnsafeMutableRawBufferPointer(
                    rebasing: bytes[offset..<(offset + row.count)])
                row.withUnsafeBytes { target.copyMemory(from: $0) }
                offset += row.count
            }
        }
    }

    deinit { bytes.deallocate() }

    /// A plane's bytes.
    package func plane<Pointee>(
        _ index: Int, as type: Pointee.Type
    ) -> UnsafeMutablePointer<Pointee>? {
        guard planes.indices.contains(index) else { return nil }
        return bytes.baseAddress.map { ($0 + planes[index]).assumingMemoryBound(to: type) }
    }
}
