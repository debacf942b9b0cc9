import GreenroomABI
package import GreenroomConversion
import GreenroomMedia
import GreenroomModel

extension VideoTrack {
    /// Outputs with the same want, which share a conversion.
    package struct Group: Sendable {
        package var want: VideoWant
        package var branches: [VideoBranch]
        package var sizing: OutputSizing
        /// The frames for outputs in separate processes that share this want; nil without such
        /// an output. No process can read the frames of another want.
        fileprivate var sharedFrames: SharedFrames?

        package init(
            want: VideoWant, branches: [VideoBranch], sizing: OutputSizing = .asAsked
        ) {
            self.want = want
            self.branches = branches
            self.sizing = sizing
        }

        /// Limit of memory blocks: the frames that each branch may queue and its plugin may keep,
        /// and one block for the frame in progress.
        fileprivate var blockLimit: Int { 1 + Self.blocksOfBranch * branches.count }

        /// The blocks for the frames that a branch uses, and for the frames that its plugin may
        /// keep.
        private static let blocksOfBranch =
            (VideoBranch.mostFramesInUse + Int(GR_MAX_KEPT) + SharedFrames.blockFrames - 1)
            / SharedFrames.blockFrames

        /// Starts or stops making frames for outputs in separate processes.
        ///
        /// - Parameter isNew: Whether such an output joins or leaves. The next frames are then in
        ///   memory that only the current outputs' processes have mapped, and that holds no earlier
        ///   frames.
        fileprivate mutating func updateAllocator(isNew: Bool = false) {
            let allocator = branches.lazy.compactMap { $0.form?.sink.allocator }.first
            if isNew || allocator == nil || sharedFrames == nil {
                sharedFrames = allocator.map { SharedFrames($0) }
            }
        }
    }

    /// The content that the outputs show.
    enum Shown: ~Copyable {
        case nothing
        case frame(VideoFrame)
        case black
        case slate(SlateText)
    }

    /// The facts, besides the outputs, that determine the first conversion of a frame.
    struct Taking: Equatable {
        /// The form in which the source sent the frame.
        var form: FrameForm
        /// The size to which the frame is scaled down; nil for no scaling.
        var reduced: FrameSize?
        /// The size of frames for filters; nil without filters.
        var filtered: FrameSize?
        /// The size of outputs that follow the track's shape.
        var shape: FrameSize
    }

    /// The state of the track's thread between frames.
    struct Work: ~Copyable {
        let converter = FrameConverter()
        var groups: [Group]
        /// The current content for outputs that begin to receive the track. Frames are stored only if
        /// an output may begin.
        var shown = Shown.nothing
        var filters: FilterChain
        /// The items of a delayed track; nil if there are none.
        var delayed: DelayLine?
        var progress = Progress()
        /// Chooses the period that shows a frame, as for a recording at the agreed rate. The
        /// account follows from it.
        var schedule: FrameRateConverter
        /// Black or the slate that the account counts now, so that it is not counted twice; nil
        /// after a frame.
        var hostFrame: (frame: VideoAccount.HostFrame, text: SlateText?)?
        /// The number of starts of the source when its last frame arrived.
        var starts = 0
        /// The last slate of each group; nil if the slate cannot be drawn.
        var slates: [Slate?] = []
        /// Reported errors.
        var complained: Set<String> = []
        /// The time of the first withheld frame since a frame was shown, in nanoseconds from the
        /// session's start; nil if none.
        var withheldSince: Int64?
        /// The track's limit.
        var limit: VideoCapability
        /// The periods of the track's rate.
        var grid = FrameGrid()
        /// The size of outputs that follow the track's shape.
        var shape: ShapeFollower
        /// The next size of such outputs, while a frame of that size is on its way or a filter has
        /// not followed yet; nil if none is due.
        var comingShape: FrameSize?
        /// The last frame's values, for which the sender's conversion was decided.
        var taking: Taking?
        /// The number of conversions by the sender, and the bytes that they wrote.
        var convertedEarly = (frames: 0, bytes: 0)

        init(
            _ limit: VideoCapability, _ filters: FilterChain, groups: [Group], largest: FrameSize?
        ) {
            self.groups = groups
            for index in groups.indices { self.groups[index].updateAllocator() }
            self.limit = limit
            schedule = FrameRateConverter(rate: limit.rate, pace: .asTheyCome, endSlot: nil)
            self.filters = filters
            shape = ShapeFollower(agreed: limit.size, maximum: largest)
        }

        /// Returns the size and rate of the frames for filters.
        ///
        /// - Parameter ceiling: The limit for frames whose shape differs from the track's.
        func frames(within ceiling: FrameSize?) -> VideoCapability {
            let shape = comingShape ?? (shape.hasFollowed ? shape.size : nil)
            let size = shape.map { $0.reduced(toFit: ceiling ?? $0) } ?? limit.size
            return VideoCapability(size: size, rate: limit.rate)
        }

        /// Stops all outputs from following the track's shape.
        mutating func keepShape() {
            comingShape = nil
            if shape.stop() { slates = [] }
        }

        /// Returns the current want of a group's outputs.
        func want(of group: Group) -> VideoWant {
            var want = group.want
            if group.sizing == .follows { want.size = shape.size }
            return want
        }

        /// The outputs that receive the track.
        var branches: [VideoBranch] { groups.flatMap(\.branches) }

        /// Removes an output.
        mutating func remove(_ branch: VideoBranch) {
            let isIsolated = branch.form?.sink.allocator != nil
            for index in groups.indices {
                guard let place = groups[index].branches.firstIndex(where: { $0 === branch }) else {
                    continue
                }
                groups[index].branches.remove(at: place)
                groups[index].updateAllocator(isNew: isIsolated)
            }
            groups.removeAll(where: \.branches.isEmpty)
            slates = []
        }

        /// Adds an output. Outputs with equal wants share a group.
        mutating func add(_ branch: VideoBranch, _ form: BranchForm) {
            slates = []
            var place = groups.firstIndex { $0.want == form.want && $0.sizing == form.sizing }
            if let place {
                groups[place].branches.append(branch)
            } else {
                groups.append(Group(want: form.want, branches: [branch], sizing: form.sizing))
                place = groups.count - 1
            }
            if let place { groups[place].updateAllocator(isNew: form.sink.allocator != nil) }
        }

        /// Converts a frame for a group. Frames for isolated outputs go into memory that these
        /// outputs read. If that memory is full, frames go into the track's pool, and the outputs
        /// receive copies.
        mutating func convert(
            _ frame: borrowing VideoFrame, to want: VideoWant, forGroup index: Int,
            into pool: FramePool
        ) throws(ConversionError) -> VideoFrame {
            let blockLimit = groups[index].blockLimit
            guard let size = want.size,
                let block = groups[index].sharedFrames?.block(
                    for: want.format, size, limit: blockLimit)
            else { return try converter.convert(frame, to: want, into: pool) }
            return try converter.copy(frame, to: want, into: block)
        }

        /// Changes the size and rate. A new rate starts new periods.
        mutating func follow(_ newLimit: VideoCapability) {
            if newLimit.rate != limit.rate { grid = FrameGrid() }
            limit = newLimit
        }

        /// Records the time of a frame; returns false if the frame's period already has a frame.
        mutating func take(_ point: FrameGrid.Point) -> Bool {
            guard accepts(point) else { return false }
            grid.take(point)
            return true
        }

        /// Whether no frame of this period or a later one was taken.
        func accepts(_ point: FrameGrid.Point) -> Bool {
            grid.newest.map { $0.period(of: limit.rate) < point.period(of: limit.rate) } ?? true
        }

        /// Returns a time of the session on the grid.
        func point(at nanoseconds: Int64) -> FrameGrid.Point {
            grid.point(at: nanoseconds, rate: limit.rate)
        }
    }
}
