import GreenroomConversion
import GreenroomMedia

/// Writes frames to their slots, and fills the slots between with the previous frame.
struct FrameRepeater: ~Copyable {
    /// The slots that were written, by content.
    struct Written {
        /// Slots with a new frame: at most one.
        var new = 0
        /// Slots with a frame that was written before, or that is written again in this call.
        var repeated = 0
        /// Slots with black.
        var black = 0
        /// Slots with a slate.
        var slate = 0

        /// The sum.
        var slots: Int { new + repeated + black + slate }
    }

    /// The kind of the current frame.
    private enum Kind {
        case frame
        case black
        case slate
    }

    private let sink: any VideoSink
    private let want: VideoWant
    /// The size of the newest frame, which is also the size of black.
    private var size: FrameSize
    private var current: VideoFrame?
    private var kind = Kind.frame
    /// Whether the sink already has the current frame.
    private var isWritten = false
    /// The black frame; nil until it is needed.
    private var black: VideoFrame?
    private var nextSlot: Int64

    /// - Parameters:
    ///   - want: The format that the sink receives.
    ///   - size: The size of black.
    ///   - slot: The first slot.
    ///   - first: The content before the first frame; nil for black.
    init(
        sink: any VideoSink, want: VideoWant, size: FrameSize, from slot: Int64 = 0,
        showing first: consuming BranchQueue.Content? = nil
    ) {
        self.sink = sink
        self.want = want
        self.size = want.size ?? size
        nextSlot = slot
        switch consume first {
        case .frame(let frame): begin(.frame, frame)
        case .slate(let frame): begin(.slate, frame)
        case .black: break
        case nil: break
        }
    }

    /// Writes a frame, after filling the slots before the frame's own.
    mutating func write(_ item: consuming BranchQueue.Item) throws -> Written {
        var written = Written()
        let slot = item.slot
        if current == nil, nextSlot < slot, !item.isPrompt { try beginBlack() }
        if current != nil { try fill(until: slot, &written) }
        switch item.intoContent() {
        case .frame(let frame): begin(.frame, frame)
        case .slate(let frame): begin(.slate, frame)
        case .black: try beginBlack()
        }
        // Slots before the first frame show the first frame.
        try fill(until: slot, &written)
        if kind == .frame {
            try writeCurrent(periods: 1)
            written.new = 1
            nextSlot = slot + 1
        } else {
            try fill(until: slot + 1, &written)
        }
        return written
    }

    /// Fills the slots before `end`.
    mutating func fill(until end: Int64) throws -> Written {
        var written = Written()
        if nextSlot < end, current == nil { try beginBlack() }
        try fill(until: end, &written)
        return written
    }

    private mutating func fill(until end: Int64, _ written: inout Written) throws {
        let gap = Int(max(end - nextSlot, 0))
        guard gap > 0 else { return }
        try writeCurrent(periods: gap)
        nextSlot = end
        switch kind {
        case .frame: written.repeated += gap
        case .black: written.black += gap
        case .slate: written.slate += gap
        }
    }

    private mutating func writeCurrent(periods count: Int) throws {
        guard let frame = current?.share() else { return }
        let content: FramePeriods.Content =
            switch kind {
            case .frame: isWritten ? .repeated : .new
            case .black: .black
            case .slate: .slate
            }
        isWritten = true
        try sink.write(
            frame, for: FramePeriods(first: nextSlot, count: count, content: content))
    }

    private mutating func begin(_ kind: Kind, _ frame: consuming VideoFrame) {
        size = frame.size
        current = consume frame
        self.kind = kind
        isWritten = false
    }

    private mutating func beginBlack() throws {
        if black?.size != size {
            let range = want.range ?? .limited
            black = FramePool(limit: 1).takeBlack(want.format, size, range)
        }
        guard let black = black?.share() else {
            throw OutputError(
                place: want.format.name,
                explanation: "no memory for a black frame of \(size).")
        }
        begin(.black, black)
    }
}
