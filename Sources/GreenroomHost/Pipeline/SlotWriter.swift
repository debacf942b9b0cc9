import GreenroomConversion
import GreenroomMedia

/// Writes pictures to the slots that they fill, and the one before into those between.
struct SlotWriter: ~Copyable {
    /// What was written.
    struct Written {
        /// Slots with a frame that was written before, or is written once more after this.
        var repeated = 0
        /// Slots with black.
        var black = 0
    }

    private let sink: any VideoSink
    private let want: VideoWant
    private let size: FrameSize
    private var picture: VideoFrame?
    private var isBlack = false
    /// Black, once it has been needed.
    private var black: VideoFrame?
    private var nextSlot: Int64 = 0

    /// - Parameters:
    ///   - want: What the sink takes.
    ///   - size: The size of black.
    init(sink: any VideoSink, want: VideoWant, size: FrameSize) {
        self.sink = sink
        self.want = want
        self.size = size
    }

    /// Writes a picture, after filling the slots before its own.
    mutating func write(_ item: consuming LaneQueue.Item) throws -> Written {
        var written = Written()
        let slot = item.slot
        if picture == nil, nextSlot < slot, !item.isPrompt { try beginBlack() }
        if picture != nil { written = try fill(until: slot) }
        if let frame = item.takeFrame() {
            picture = consume frame
            isBlack = false
        } else {
            try beginBlack()
        }
        // Slots before the first picture have the first picture.
        let before = try fill(until: slot)
        written.repeated += before.repeated
        written.black += before.black
        try writePicture(times: 1)
        if isBlack { written.black += 1 }
        nextSlot = slot + 1
        return written
    }

    /// Fills the slots before an end.
    mutating func fill(until end: Int64) throws -> Written {
        let gap = Int(max(end - nextSlot, 0))
        guard gap > 0 else { return Written() }
        if picture == nil { try beginBlack() }
        try writePicture(times: gap)
        nextSlot = end
        return isBlack ? Written(black: gap) : Written(repeated: gap)
    }

    private func writePicture(times: Int) throws {
        if let picture = picture?.share() { try sink.write(picture, times: times) }
    }

    private mutating func beginBlack() throws {
        if black == nil {
            let range = want.range ?? .limited
            black = FramePool(limit: 1).takeBlack(want.format, want.size ?? size, range)
        }
        guard let black = black?.share() else {
            throw OutputError(
                place: want.format.name,
                explanation: "there is no black of \(want.size ?? size) to begin with.")
        }
        picture = consume black
        isBlack = true
    }
}
