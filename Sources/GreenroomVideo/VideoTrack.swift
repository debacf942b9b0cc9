package import GreenroomConversion
package import GreenroomMedia
package import GreenroomModel
package import GreenroomRuntime
import Synchronization

/// Carries video from its source to the outputs: scales frames to the track's size, runs the
/// filters, converts once for each distinct want, and hands frames to a branch for each output.
package final class VideoTrack: Sendable {
    /// The results of the frames taken from the input.
    ///
    /// `taken` is the sum of `overRate`, `unconvertible`, `lostInFilter`, `withheld` and `carried`,
    /// except for a frame in progress.
    package struct Counts: Sendable {
        /// Frames taken from the input.
        package var taken = 0
        /// Frames above the track's rate.
        package var overRate = 0
        /// Frames that could not be scaled to the track's size, or converted for filters.
        package var unconvertible = 0
        /// Frames lost in a hung filter in the host's process.
        package var lostInFilter = 0
        /// Frames that were not shown because a filter did not edit them: a required one, or one that had them
        /// in place.
        package var withheld = 0
        /// Frames that reached the outputs.
        package var carried = 0
        /// Carried frames that a filter did not edit.
        package var unedited = 0
        /// Failed edits.
        package var unprocessed = FilterChain.Unprocessed()
        /// Conversions, including those for filters, and those of taken frames by the sender.
        package var conversions = 0
        /// Bytes written by conversions.
        package var bytesConverted = 0
        /// The time for conversions and filters, in nanoseconds on the session clock, without edits that
        /// missed their deadline.
        package var busyNanoseconds: Int64 = 0
    }

    /// What the track's thread publishes after each frame.
    package struct Progress: Sendable {
        /// The counters.
        package var counts = Counts()
        /// How much of the video was real, in periods of the rate that was agreed at first.
        package var account = VideoAccount()
        /// What their stamps are like.
        package var stamps = TimestampNormalizer()

        /// Without frames.
        package init() {}
    }

    package let kind: VideoTrackKind
    /// The agreement at the session's start, for outputs without a want.
    package let agreed: VideoCapability
    package let input: VideoTrackInput
    /// As they begin; the track's thread has its own.
    private let groups: [Group]
    /// The outputs, whether they take anything or not.
    package let branches: [VideoBranch]
    /// Whether what an output takes may change.
    private let isChangeable: Bool
    /// Whether the source sends only when it has something new.
    private let sendsWhenNew: Bool
    /// Whether a participant sends it, at a rate that was never agreed on.
    private let isOfParticipant: Bool
    private let taps: [any VideoTap]
    /// The largest size of outputs that follow the track's shape; nil if none can.
    private let largest: FrameSize?
    /// As it begins; the track's thread has its own.
    private let filters: FilterChain
    private let pool: FramePool
    private let tell: @Sendable (String) -> Void
    /// The end of the account, in periods of the agreed rate.
    private let end: Atomic<Int64>
    /// The number of periods that are accounted for.
    private let reached = Atomic<Int64>(0)

    /// - Parameters:
    ///   - agreed: The size and rate of the track.
    ///   - idle: Outputs that take nothing at first.
    ///   - sendsWhenNew: Whether the source sends only when it has something new, as a share does:
    ///     then its last frame is as good as a new one.
    ///   - isOfParticipant: Whether a participant sends it. Its rate is what arrives: a frame is as
    ///     good as a new one until the next arrives, and `tell` gets nothing about its timestamps.
    ///   - taps: What sees its frames as they are.
    ///   - largest: The largest size of outputs that follow the track's shape; nil if none does.
    ///   - filterDeadline: When a filter counts as hung with a frame, in nanoseconds.
    ///   - duration: The length of the track in nanoseconds, if it is known.
    ///   - tell: Gets what the source's author should know, each thing once. [the track's thread]
    package init(
        kind: VideoTrackKind, agreed: VideoCapability, sendsWhenNew: Bool = false,
        isOfParticipant: Bool = false,
        input: VideoTrackInput, pool: FramePool, filters: [PreProcessorRunner], groups: [Group],
        idle: [VideoBranch] = [], taps: [any VideoTap] = [], largest: FrameSize? = nil,
        filterDeadline: Int64, duration: Int64? = nil, tell: @escaping @Sendable (String) -> Void
    ) {
        end = Atomic(duration.map(agreed.rate.frameCount) ?? .max)
        self.kind = kind
        self.agreed = agreed
        self.sendsWhenNew = sendsWhenNew
        self.isOfParticipant = isOfParticipant
        self.input = input
        self.pool = pool
        self.filters = FilterChain(
            filters, hangNanoseconds: filterDeadline, clock: input.clock)
        self.groups = groups
        branches = groups.flatMap(\.branches) + idle
        isChangeable = branches.contains { $0.plugin >= 0 }
        self.taps = taps
        self.largest = largest
        self.tell = tell
    }

    package var counts: Counts { input.progress.counts }

    /// Frames that wait on the input, or are being worked on.
    package var queuedCount: Int {
        input.queuedCount
    }

    /// How much of the video was real up to a time of the session, in periods of the rate that was
    /// agreed at first.
    package func account(at nanoseconds: Int64) -> VideoAccount {
        let end = agreed.rate.frameCount(inNanoseconds: nanoseconds)
        return input.progress.account.closed(at: end)
    }

    /// Lets neither the account nor an output go beyond a time of the track. Frames for earlier slots still
    /// come. [any]
    ///
    /// - Returns: The end of all: later than `nanoseconds` if one has a frame for a later time already.
    package func limit(to nanoseconds: Int64) -> Int64 {
        let periods = agreed.rate.frameCount(inNanoseconds: nanoseconds)
        end.store(periods, ordering: .sequentiallyConsistent)
        let accounted = reached.load(ordering: .sequentiallyConsistent)
        let own =
            accounted > periods ? agreed.rate.dueNanoseconds(ofFrame: accounted) : nanoseconds
        return branches.map { $0.limit(to: nanoseconds) }.reduce(own, max)
    }

    /// Changes the account, up to the end of the track. [the track's thread]
    private func account(_ work: inout Work, _ change: (inout VideoAccount) -> Void) {
        var account = work.progress.account
        change(&account)
        var end = end.load(ordering: .sequentiallyConsistent)
        if account.next <= end {
            // Either limit(to:) sees the reached period, or this sees the end.
            reached.store(account.next, ordering: .sequentiallyConsistent)
            end = self.end.load(ordering: .sequentiallyConsistent)
        }
        if account.next > end {
            account = work.progress.account
            account.end = end
            change(&account)
        }
        work.progress.account = account
    }

    /// What the frames' stamps are like.
    package var stamps: TimestampNormalizer { input.progress.stamps }

    /// The number of memory allocations for frames.
    package var allocationCount: Int { pool.allocationCount }

    /// Limits the size and rate of the frames from now on. [any]
    ///
    /// Larger frames are scaled down, unrotated and without a change of aspect ratio; frames above
    /// the rate are dropped before filters: a source that ignores the limit costs only the host's
    /// scaling. Filters are told, and those that don't follow still get frames of the size as
    /// before; outputs keep their size and rate.
    ///
    /// - Parameter ceiling: The size that a frame of another shape than the capability's may have.
    package func follow(_ capability: VideoCapability, within ceiling: FrameSize? = nil) {
        input.limit(to: capability, within: ceiling)
    }

    /// Changes what outputs take, after the frames so far. [any]
    package func change(_ changes: [VideoTrackInput.BranchChange]) { input.change(changes) }

    /// Shows black on every output, after the frames sent so far and until the next one. [any]
    package func showBlack() { input.showBlack() }

    /// Records that a stopped source owes frames again, after those sent so far. [any]
    package func setStarted() { input.setStarted() }

    /// Shows a slate on every output, after the frames sent so far and until the next one. [any]
    ///
    /// - Parameter moment: The time on the session clock; a frame before it cancels the slate.
    package func showSlate(_ text: SlateText, at moment: Int64) {
        input.showSlate(text, at: moment)
    }

    /// The track's thread. Ends when the input is closed and empty.
    ///
    /// - Parameter timeline: The session's timeline.
    package func run(on timeline: SessionTimeline) {
        let clock = input.clock
        var work = Work(agreed, filters, groups: groups, largest: largest)
        var isOver = false
        while !isOver {
            switch input.next(after: work.progress) {
            case .frame(let queued):
                let begun = clock.now
                let lateBefore = work.filters.lateNanoseconds
                work.follow(queued.limit ?? agreed)
                take(queued, &work, timeline)
                work.progress.counts.taken += 1
                work.progress.counts.conversions =
                    work.converter.conversionCount + work.convertedEarly.frames
                work.progress.counts.bytesConverted =
                    work.converter.bytesWritten + work.convertedEarly.bytes
                work.progress.counts.unprocessed = work.filters.unprocessed
                // A late filter is named; it says nothing about the machine.
                let late = work.filters.lateNanoseconds - lateBefore
                work.progress.counts.busyNanoseconds += max(clock.now - begun - late, 0)
            case .show(.black, let moment):
                let point = work.point(at: timeline.time(of: moment))
                account(&work) { $0.show(.black, from: point.period(of: agreed.rate)) }
                for branch in work.branches { branch.showBlack(from: point) }
                work.shown = .black
            case .show(.slate(let text), let moment):
                show(text, from: work.point(at: timeline.time(of: moment)), &work)
            case .show(.lastFrame, let moment):
                let point = work.point(at: timeline.time(of: moment))
                account(&work) { $0.show(.lastFrame, from: point.period(of: agreed.rate)) }
            case .show(.pause(let isPaused), let moment):
                let point = work.point(at: timeline.time(of: moment))
                account(&work) { $0.pause(isPaused, from: point.period(of: agreed.rate)) }
            case .show(.unconnected, let moment):
                let point = work.point(at: timeline.time(of: moment))
                account(&work) { $0.awaitConnection(from: point.period(of: agreed.rate)) }
            case .show(.started, let moment):
                let point = work.point(at: timeline.time(of: moment))
                account(&work) { $0.start(from: point.period(of: agreed.rate)) }
            case .change(let changes):
                for change in changes { take(change, &work, timeline) }
            case .end:
                isOver = true
            }
        }
        withdrawOffer(&work)
        filters.close()
        if work.progress.counts.carried == 0, branches.contains(where: { $0.form != nil }) {
            tell(
                work.progress.counts.withheld == 0
                    ? "no frame was shown: the output is black"
                    : "no frame was shown: a required filter edited none")
        }
    }

    private func take(
        _ queued: consuming VideoTrackInput.QueuedFrame, _ work: inout Work,
        _ timeline: SessionTimeline
    ) {
        let came = queued.nanoseconds
        let form = queued.sentAs ?? FrameForm(queued.frame)
        if queued.sentAs != nil {
            work.convertedEarly.frames += 1
            work.convertedEarly.bytes += queued.frame.format.packedByteCount(of: form.size)
        }
        if queued.starts != work.starts {
            work.starts = queued.starts
            work.progress.stamps.restart()
        }
        let moment = stamp(queued.frame.info.ptsNanoseconds, came: came, &work)
        let time = timeline.time(of: moment)
        // What a share sent before the session began is what it shows then.
        let point = work.point(at: sendsWhenNew ? max(time, 0) : time)
        guard work.take(point) else {
            work.progress.counts.overRate += 1
            return
        }
        let unedited = work.progress.counts.unedited
        let period = point.period(of: agreed.rate)
        let newest = agreed.rate.nearestFrame(atNanoseconds: timeline.time(of: came)) + 1
        let seen = queued.frame.size.rotated(by: queued.frame.info.rotation)
        let ceiling = queued.ceiling ?? largest
        let takesShape = prepareShape(seen, at: point, within: ceiling, &work)
        guard let carried = reduce(queued.intoFrame(), within: ceiling, &work),
            let edited = filter(carried, at: point, within: ceiling, &work)
        else {
            account(&work) { $0.lose(at: min(period, newest)) }
            if takesShape { work.comingShape = nil }
            return
        }
        work.progress.counts.carried += 1
        let isLate = difference(came, moment) > SessionTimeline.playoutDelay
        let quality: VideoAccount.Quality =
            work.progress.counts.unedited > unedited ? .unedited : isLate ? .late : .fresh
        let length =
            sendsWhenNew || isOfParticipant
            ? .infinity : agreed.rate.framesPerSecond / work.limit.rate.framesPerSecond
        account(&work) {
            $0.take(quality, at: min(period, newest), for: length, isAhead: period > newest)
        }
        follow(seen, takesShape, at: point, &work)
        makeOffer(of: form, within: ceiling, &work)
        deliver(edited, at: point, &work, timeline)
    }

    /// Lets the sender convert frames like the last one, if all that takes them begins with that. Previews don't; and the last frame of a share may be what an
    /// output begins with that wants it as it was sent.
    ///
    /// Not on a virtual clock: which frames it concerns depends on when the threads run.
    private func makeOffer(
        of form: FrameForm, within ceiling: FrameSize?, _ work: inout Work
    ) {
        guard !input.clock.isVirtual else { return }
        let taking = Taking(
            form: form, reduced: reduction(of: form.size, within: ceiling, work)?.size,
            filtered: work.filters.isEmpty ? nil : work.frames(within: ceiling).size,
            shape: work.shape.size)
        guard taking != work.taking else { return }
        work.taking = taking
        let color =
            taps.isEmpty && !(sendsWhenNew && isChangeable) ? firstColor(taking, work) : nil
        input.offer(color.flatMap { EarlyConversion(of: form, to: $0) })
    }

    /// Lets the sender convert no more until the host takes a frame.
    private func withdrawOffer(_ work: inout Work) {
        guard work.taking != nil else { return }
        work.taking = nil
        input.offer(nil)
    }

    /// The colour space of the I420 that all who take a frame make of it first; nil if one does not.
    private func firstColor(_ taking: Taking, _ work: borrowing Work) -> ColorSpace? {
        let form = taking.form
        if let size = taking.reduced { return form.firstColor(for: Self.reduction(to: size)) }
        var color: ColorSpace?
        if let size = taking.filtered {
            color = form.firstColor(for: VideoWant(format: .i420, size: size))
            guard color != nil else { return nil }
        }
        for index in work.groups.indices {
            let next = form.firstColor(for: work.want(of: work.groups[index]))
            guard let next, color == nil || color == next else { return nil }
            color = next
        }
        return color
    }

    /// Tells the filters of a share's new shape. If one does not follow, no output does.
    ///
    /// - Returns: Whether outputs may follow with this frame.
    private func prepareShape(
        _ seen: FrameSize, at point: FrameGrid.Point, within ceiling: FrameSize?,
        _ work: inout Work
    ) -> Bool {
        guard sendsWhenNew,
            let next = work.comingShape ?? work.shape.next(after: seen, at: point.nanoseconds)
        else { return true }
        work.comingShape = next
        let follow = work.filters.follow(
            work.frames(within: ceiling), within: work.limit.rate.dueNanoseconds(ofFrame: 1))
        if follow == false { work.keepShape() }
        return follow != nil
    }

    /// Follows the shape of a share's frame, and tells which outputs show it with bars.
    private func follow(
        _ seen: FrameSize, _ takesShape: Bool, at point: FrameGrid.Point, _ work: inout Work
    ) {
        guard sendsWhenNew else { return }
        if takesShape, let next = work.comingShape {
            work.shape.follow(next, at: point.nanoseconds)
            work.comingShape = nil
            work.slates = []
        }
        for group in work.groups where group.sizing != .asAsked {
            guard let size = work.want(of: group).size, !seen.hasShape(of: size) else { continue }
            let bars = VideoBranch.Bars(size: seen, within: size, nanoseconds: point.nanoseconds)
            let reason =
                group.sizing == .follows && work.shape.isFollowing
                ? "follows one change a second" : "keeps its size"
            for branch in group.branches where branch.begin(bars) {
                // A plugin says itself what it wants.
                let cure =
                    branch.plugin < 0 ? " Set its \"size\" or \"fit\" to change that." : ""
                tell(
                    "now \(seen), shown in \(size) with bars: \(branch.name) "
                        + "\(reason).\(cure)")
            }
        }
    }

    /// Shows a slate, or black on an output for which it can't be made.
    private func show(_ text: SlateText, from moment: FrameGrid.Point, _ work: inout Work) {
        account(&work) { $0.show(.slate, from: moment.period(of: agreed.rate)) }
        if work.slates.first??.text != text {
            work.slates = []
            for group in work.groups {
                work.slates.append(Slate(text, work.want(of: group), size: agreed.size))
            }
        }
        for (group, slate) in zip(work.groups, work.slates) {
            for branch in group.branches {
                if let slate {
                    branch.show(slate, from: moment)
                } else {
                    branch.showBlack(from: moment)
                }
            }
        }
        work.shown = .slate(text)
    }

    /// Changes what an output takes.
    private func take(
        _ change: VideoTrackInput.BranchChange, _ work: inout Work, _ timeline: SessionTimeline
    ) {
        withdrawOffer(&work)
        let (branch, carried) = (change.branch, work.progress.counts.carried)
        let now = timeline.time(of: input.clock.now)
        work.remove(branch)
        guard let form = change.form else {
            branch.rest(carried: carried, at: now)
            return
        }
        branch.begin(form, showing: firstContent(for: form.want, &work), carried: carried, at: now)
        work.add(branch, form)
    }

    /// What an output shows before its first frame; nil for black.
    private func firstContent(for want: VideoWant, _ work: inout Work) -> BranchQueue.Content? {
        var problem: ConversionError?
        switch work.shown {
        case .nothing: break
        case .black: break
        case .slate(let text):
            if let slate = Slate(text, want, size: agreed.size) {
                return .slate(slate.frame.share())
            }
        case .frame(let frame):
            do throws(ConversionError) {
                return .frame(try work.converter.convert(frame, to: want, into: pool))
            } catch {
                problem = error
            }
        }
        if let problem { complain(problem, &work) }
        return nil
    }

    /// Scales a frame down to the track's size, without rotating it.
    ///
    /// - Parameter ceiling: The limit of a frame of another shape.
    private func reduce(
        _ frame: consuming VideoFrame, within ceiling: FrameSize?, _ work: inout Work
    ) -> VideoFrame? {
        guard let want = reduction(of: frame.size, within: ceiling, work) else { return frame }
        return convert(frame, want, &work)
    }

    /// What a frame of a size is scaled down to; nil if it is small enough.
    private func reduction(
        of size: FrameSize, within ceiling: FrameSize?, _ work: borrowing Work
    ) -> VideoWant? {
        // A row limits the pixels as sent, regardless of rotation.
        var limit = work.limit.size
        if work.shape.isFollowing, let ceiling,
            work.shape.hasFollowed || !size.hasShape(of: limit)
        {
            limit = ceiling
        }
        let reduced = size.reduced(toFit: limit)
        return reduced == size ? nil : Self.reduction(to: reduced)
    }

    private static func reduction(to size: FrameSize) -> VideoWant {
        VideoWant(format: .i420, size: size, fit: .stretch, acceptsRotation: true)
    }

    /// Determines the time of a frame. [the track's thread]
    private func stamp(_ pts: Int64?, came: Int64, _ work: inout Work) -> Int64 {
        let (moment, finding) = work.progress.stamps.follow(pts, arrival: came)
        if let finding, !isOfParticipant { tell(finding.text(of: "frames")) }
        return moment
    }

    /// Edits a frame with the filters.
    private func filter(
        _ frame: consuming VideoFrame, at point: FrameGrid.Point, within ceiling: FrameSize?,
        _ work: inout Work
    ) -> VideoFrame? {
        do throws(ConversionError) {
            let outcome = try work.filters.edit(
                frame, as: work.frames(within: ceiling), at: point.nanoseconds,
                with: work.converter, from: pool,
                within: work.limit.rate.dueNanoseconds(ofFrame: 1))
            // One that was away until now, for example.
            if work.filters.hasKeptShape, work.shape.isFollowing { work.keepShape() }
            switch consume outcome {
            case .carried(let edited, let isEdited):
                if !isEdited { work.progress.counts.unedited += 1 }
                work.withheldSince = nil
                return edited
            case .withheld:
                work.progress.counts.withheld += 1
                showSlateIfDue(at: point, &work)
            case .lost:
                work.progress.counts.lostInFilter += 1
            }
        } catch {
            countUnconvertible(error, &work)
        }
        return nil
    }

    /// The last frame stays for a while if frames are withheld.
    private func showSlateIfDue(at point: FrameGrid.Point, _ work: inout Work) {
        let since = work.withheldSince ?? point.nanoseconds
        work.withheldSince = since
        guard difference(point.nanoseconds, since) >= SlateText.delay else { return }
        show(.unedited(kind), from: point, &work)
    }

    private func countUnconvertible(_ error: ConversionError, _ work: inout Work) {
        work.progress.counts.unconvertible += 1
        complain(error, &work)
    }

    private func convert(
        _ frame: consuming VideoFrame, _ want: VideoWant, _ work: inout Work
    ) -> VideoFrame? {
        do throws(ConversionError) {
            let converted = try work.converter.convert(frame, to: want, into: pool)
            return converted
        } catch {
            countUnconvertible(error, &work)
            return nil
        }
    }

    /// Hands a frame to the branches.
    ///
    /// - Parameter point: The time of the frame.
    private func deliver(
        _ frame: consuming VideoFrame, at point: FrameGrid.Point, _ work: inout Work,
        _ timeline: SessionTimeline
    ) {
        for tap in taps { tap.show(frame.share()) }
        for index in work.groups.indices {
            let want = work.want(of: work.groups[index])
            var converted: VideoFrame?
            for branch in work.groups[index].branches {
                let now = timeline.time(of: input.clock.now)
                guard let claim = branch.claim(point, at: now) else { continue }
                if converted == nil {
                    do throws(ConversionError) {
                        converted = try work.convert(
                            frame, to: want, forGroup: index, into: pool)
                    } catch {
                        complain(error, &work)
                    }
                }
                if let frame = converted?.share() {
                    branch.push(frame, claim)
                } else {
                    branch.countUnconvertible()
                }
            }
        }
        if isChangeable { work.shown = .frame(frame) }
    }

    /// Reports an error once.
    private func complain(_ error: ConversionError, _ work: inout Work) {
        guard work.complained.count < 20, work.complained.insert(error.description).inserted else {
            return
        }
        tell("a frame is lost: \(error.description)")
    }
}
