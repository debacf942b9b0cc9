package import GreenroomConversion
package import GreenroomMedia
package import GreenroomModel
package import GreenroomRuntime
import Synchronization

/// Carries video from its source to the outputs: scales frames to the track's size, runs the
/// filters, converts once for each distinct want, and passes frames to a branch for each output.
package final class VideoTrack: Sendable {
    /// The results of the frames taken from the input.
    ///
    /// `taken` is the sum of `overRate`, `damaged`, `unconvertible`, `withheld` and `carried`,
    /// except for a frame in progress.
    package struct Counts: Sendable {
        /// Frames taken from the input.
        package var taken = 0
        /// Frames above the track's rate.
        package var overRate = 0
        /// Compressed frames that do not decode.
        package var damaged = 0
        /// Frames that could not be scaled to the track's size, or converted for filters.
        package var unconvertible = 0
        /// Frames that were not shown because a required filter did not edit them.
        package var withheld = 0
        /// Frames that reached the outputs.
        package var carried = 0
        /// Carried frames that a filter did not edit.
        package var unedited = 0
        /// Failed edits.
        package var unprocessed = FilterChain.Unprocessed()
        /// Conversions, including conversions for filters, and conversions of taken frames by the
        /// sender.
        package var conversions = 0
        /// Bytes written by conversions.
        package var bytesConverted = 0
        /// The time for conversions and filters, in nanoseconds on the session clock, without edits
        /// that missed their deadline.
        package var busyNanoseconds: Int64 = 0
    }

    /// The state that the track's thread publishes after each frame.
    package struct Progress: Sendable {
        /// The counters.
        package var counts = Counts()
        /// The amount of real video, in periods of the first agreed rate.
        package var account = VideoAccount()
        /// The analysis of the frames' timestamps.
        package var stamps = TimestampNormalizer()

        /// Makes the state before the first frame.
        package init() {}
    }

    package let kind: VideoTrackKind
    /// The agreement at the session's start, for outputs without a want.
    package let agreed: VideoCapability
    package let input: VideoTrackInput
    /// The initial groups; the track's thread has its own copy.
    private let groups: [Group]
    /// The outputs, including outputs that take no frames.
    package let branches: [VideoBranch]
    /// Whether the form of an output's frames may change.
    private let isChangeable: Bool
    /// Whether the source sends only new content.
    private let sendsWhenNew: Bool
    /// Whether a participant sends the track, without an agreed rate.
    private let isOfParticipant: Bool
    private let taps: [any VideoTap]
    /// The largest size of outputs that follow the track's shape; nil if outputs cannot follow it.
    private let largest: FrameSize?
    /// The initial filters; the track's thread has its own copy.
    private let filters: FilterChain
    private let pool: FramePool
    private let tell: @Sendable (String) -> Void
    /// The end of the account, in periods of the agreed rate.
    private let end: Atomic<Int64>
    /// The number of counted periods.
    private let reached = Atomic<Int64>(0)

    /// - Parameters:
    ///   - agreed: The size and rate of the track.
    ///   - idle: Outputs that take no frames at first.
    ///   - sendsWhenNew: Whether the source sends only new content, as a share does. Then the last
    ///     frame always counts as new.
    ///   - isOfParticipant: Whether a participant sends the track. Then a frame counts as new until
    ///     the next arrives, and `tell` receives no text about timestamps.
    ///   - taps: The taps that receive the frames without conversion.
    ///   - largest: The largest size of outputs that follow the track's shape; nil if no output
    ///     follows it.
    ///   - filterDeadline: The time after which a filter with a frame counts as hung, in
    ///     nanoseconds.
    ///   - duration: The length of the track in nanoseconds; nil if unknown.
    ///   - tell: Receives findings for the source's author, each once. [the track's thread]
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

    /// Frames that are waiting in the input or in progress.
    package var queuedCount: Int {
        input.queuedCount
    }

    /// Returns the amount of real video up to a time of the session, in periods of the first agreed
    /// rate.
    package func account(at nanoseconds: Int64) -> VideoAccount {
        let end = agreed.rate.frameCount(inNanoseconds: nanoseconds)
        return input.progress.account.closed(at: end)
    }

    /// Limits the account and the outputs to a time of the track. Frames for earlier slots may
    /// still arrive. [any]
    ///
    /// - Returns: The end of the account and all outputs: later than `nanoseconds` if a frame for a
    ///   later time already exists.
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
            // Store first and load again, so that either `limit(to:)` sees the reached period or this thread
            // sees the new end.
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

    /// Counts black or a slate, from the period in which outputs show it.
    private func account(
        showing frame: VideoAccount.HostFrame, _ text: SlateText? = nil,
        from moment: FrameGrid.Point, _ work: inout Work
    ) {
        let next = work.progress.account.next
        guard work.hostFrame == nil || work.hostFrame?.text != text,
            let slot = work.schedule.claim(from: moment, nextSlot: next)
        else { return }
        work.hostFrame = (frame, text)
        let isPrompt = work.schedule.isPrompt(at: moment.nanoseconds)
        account(&work) { $0.show(frame, from: slot, isPrompt: isPrompt) }
    }

    /// The analysis of the frames' timestamps.
    package var stamps: TimestampNormalizer { input.progress.stamps }

    /// The number of memory allocations for frames.
    package var allocationCount: Int { pool.allocationCount }

    /// Limits the size and rate of the frames from now on. [any]
    ///
    /// Larger frames are scaled down, without rotation and without a change of aspect ratio. Frames
    /// above the rate are dropped before filters, so a source that ignores the limit costs only the
    /// host's scaling. The host announces the limit to filters; filters that do not follow still
    /// receive frames of the old size. Outputs keep their size and rate.
    ///
    /// - Parameter ceiling: The size limit for frames whose shape differs from the capability's.
    package func follow(_ capability: VideoCapability, within ceiling: FrameSize? = nil) {
        input.limit(to: capability, within: ceiling)
    }

    /// Changes the form of outputs' frames, after the frames so far. [any]
    package func change(_ changes: [VideoTrackInput.BranchChange]) { input.change(changes) }

    /// Shows black on every output, after the frames sent so far and until the next frame. [any]
    package func showBlack() { input.showBlack() }

    /// Records that a stopped source owes frames again, after the frames sent so far. [any]
    package func setStarted() { input.setStarted() }

    /// Shows a slate on every output, after the frames sent so far and until the next frame. [any]
    ///
    /// - Parameter moment: The time on the session clock; a frame before it cancels the slate.
    package func showSlate(_ text: SlateText, at moment: Int64) {
        input.showSlate(text, at: moment)
    }

    /// Shows everything that the source does later, from now on. [any]
    ///
    /// - Parameter nanoseconds: At most ``SessionCommand/longestDelay``.
    package func delay(by nanoseconds: Int64) { input.delay(by: nanoseconds) }

    /// Runs the track's thread. Returns after the input is closed and empty.
    ///
    /// - Parameter timeline: The session's timeline.
    package func run(on timeline: SessionTimeline) {
        var work = Work(agreed, filters, groups: groups, largest: largest)
        var isOver = false
        while !isOver {
            switch input.next(after: work.progress, oldest: work.delayed?.oldest) {
            case .frame(let queued):
                if let line = delayLine(of: &work) {
                    hold(queued, in: line, &work)
                } else {
                    handle(queued, &work, timeline)
                }
            case .show(let frame, let moment):
                if let line = delayLine(of: &work) {
                    line.append(frame, at: moment)
                } else {
                    show(frame, at: moment, &work, timeline)
                }
            case .delayed:
                let delay = input.delay
                switch work.delayed?.popFirst() {
                case .frame(let queued): handle(queued, later: delay, &work, timeline)
                case .show(let frame, let moment):
                    show(frame, at: moment + delay, &work, timeline)
                case nil: break
                }
                if work.delayed?.oldest == nil { work.delayed = nil }
            case .change(let changes):
                for change in changes { take(change, &work, timeline) }
            case .end:
                isOver = true
            }
        }
        if let line = work.delayed { input.discard(line.frameCount) }
        withdrawOffer(&work)
        filters.close()
        if work.progress.counts.carried == 0, branches.contains(where: { $0.form != nil }) {
            tell(
                work.progress.counts.withheld == 0
                    ? "no frame was shown: the output is black"
                    : "no frame was shown: a required filter edited none")
        }
    }

    /// Returns the items that the track delays; nil if there are none and the track is not delayed.
    private func delayLine(of work: inout Work) -> DelayLine? {
        if work.delayed == nil, input.delay > 0 { work.delayed = DelayLine() }
        return work.delayed
    }

    /// Delays a frame.
    private func hold(
        _ queued: consuming VideoTrackInput.QueuedFrame, in line: DelayLine, _ work: inout Work
    ) {
        do throws(ConversionError) {
            try line.append(queued)
        } catch {
            work.progress.counts.taken += 1
            countUnconvertible(error, &work)
        }
    }

    /// Carries a frame to the outputs.
    ///
    /// - Parameter delay: The time by which the frame is shown later.
    private func handle(
        _ queued: consuming VideoTrackInput.QueuedFrame, later delay: Int64 = 0, _ work: inout Work,
        _ timeline: SessionTimeline
    ) {
        let clock = input.clock
        let begun = clock.now
        let lateBefore = work.filters.lateNanoseconds
        work.follow(queued.limit ?? agreed)
        take(queued, later: delay, &work, timeline)
        work.progress.counts.taken += 1
        work.progress.counts.conversions =
            work.converter.conversionCount + work.convertedEarly.frames
        work.progress.counts.bytesConverted =
            work.converter.bytesWritten + work.convertedEarly.bytes
        work.progress.counts.unprocessed = work.filters.unprocessed
        // The log names a late filter. Its time does not count as load of the machine.
        let late = work.filters.lateNanoseconds - lateBefore
        work.progress.counts.busyNanoseconds += max(clock.now - begun - late, 0)
    }

    /// Shows black or a slate, or records a change of the source.
    private func show(
        _ frame: VideoTrackInput.HostFrame, at moment: Int64, _ work: inout Work,
        _ timeline: SessionTimeline
    ) {
        let point = work.point(at: timeline.time(of: moment))
        let period = point.period(of: agreed.rate)
        switch frame {
        case .black:
            account(showing: .black, from: point, &work)
            for branch in work.branches { branch.showBlack(from: point) }
            work.shown = .black
        case .slate(let text): show(text, from: point, &work)
        case .lastFrame: account(&work) { $0.show(.lastFrame, from: period) }
        case .pause(let isPaused): account(&work) { $0.pause(isPaused, from: period) }
        case .held: account(&work) { $0.lose(at: period) }
        case .unconnected: account(&work) { $0.awaitConnection(from: period) }
        case .started: account(&work) { $0.start(from: period) }
        }
    }

    private func take(
        _ queued: consuming VideoTrackInput.QueuedFrame, later delay: Int64, _ work: inout Work,
        _ timeline: SessionTimeline
    ) {
        let came = queued.nanoseconds + delay
        let form = queued.sentAs ?? FrameForm(queued.frame)
        if queued.sentAs != nil {
            work.convertedEarly.frames += 1
            work.convertedEarly.bytes += queued.frame.format.packedByteCount(of: form.size)
        }
        if queued.starts != work.starts {
            work.starts = queued.starts
            work.progress.stamps.restart()
        }
        let sent = stamp(queued.frame.info.ptsNanoseconds, came: queued.nanoseconds, &work)
        let moment = difference(sent, -delay)
        let time = timeline.time(of: moment)
        // A frame that a share sent before the session began is shown at the start.
        var point = work.point(at: sendsWhenNew ? max(time, 0) : time)
        // After a shorter delay, the newest frame of a share may be late, and it stays until the next change.
        if sendsWhenNew, let line = work.delayed, line.oldest == nil, !work.accepts(point) {
            point = work.point(at: timeline.time(of: input.clock.now))
        }
        guard work.take(point) else {
            work.progress.counts.overRate += 1
            return
        }
        let unedited = work.progress.counts.unedited
        let seen = queued.frame.size.rotated(by: queued.frame.info.rotation)
        let ceiling = queued.ceiling ?? largest
        let takesShape = prepareShape(seen, at: point, within: ceiling, &work)
        guard let carried = reduce(queued.intoFrame(), within: ceiling, &work),
            let edited = filter(carried, at: point, within: ceiling, &work)
        else {
            let open = work.schedule.firstOpenSlot(at: timeline.time(of: input.clock.now))
            account(&work) { $0.lose(at: max(point.period(of: agreed.rate), open)) }
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
        let now = timeline.time(of: input.clock.now)
        if case .slot(let slot, _) = work.schedule.claim(point, at: now) {
            work.hostFrame = nil
            let isPrompt = work.schedule.isPrompt(at: now)
            account(&work) { $0.take(quality, at: slot, for: length, isPrompt: isPrompt) }
        }
        follow(seen, takesShape, at: point, &work)
        makeOffer(of: form, within: ceiling, &work)
        deliver(edited, at: point, &work, timeline)
    }

    /// Lets the sender convert frames like the last frame, if every consumer begins with that
    /// conversion.
    ///
    /// Previews do not begin with it. An output that begins later may show the last frame of a
    /// share, and may want the frame as it was sent.
    ///
    /// A virtual clock permits no such conversion, because the affected frames would depend on the
    /// timing of threads.
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

    /// Stops conversions by the sender until the next frame is taken.
    private func withdrawOffer(_ work: inout Work) {
        guard work.taking != nil else { return }
        work.taking = nil
        input.offer(nil)
    }

    /// Returns the colour space of the I420 to which every consumer first converts a frame; nil if
    /// a consumer does not.
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

    /// Announces a share's new shape to the filters. If a filter does not follow, no output
    /// follows.
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

    /// Follows the shape of a share's frame, and reports outputs that show the frame with bars.
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
                // A plugin chooses its own want.
                let cure =
                    branch.plugin < 0 ? " Set its \"size\" or \"fit\" to change that." : ""
                tell(
                    "now \(seen), shown in \(size) with bars: \(branch.name) "
                        + "\(reason).\(cure)")
            }
        }
    }

    /// Shows a slate, or black on an output for which the slate cannot be drawn.
    private func show(_ text: SlateText, from moment: FrameGrid.Point, _ work: inout Work) {
        account(showing: .slate, text, from: moment, &work)
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

    /// Changes the form of an output's frames.
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

    /// Returns the content of an output before its first frame; nil for black.
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

    /// Scales a frame down to the track's size, without rotating it. Decodes a compressed frame once for all
    /// outputs, so that a damaged one is lost here, and counts as no real video.
    ///
    /// - Parameter ceiling: The limit for frames whose shape differs from the track's.
    private func reduce(
        _ frame: consuming VideoFrame, within ceiling: FrameSize?, _ work: inout Work
    ) -> VideoFrame? {
        if let want = reduction(of: frame.size, within: ceiling, work) {
            return convert(frame, want, &work)
        }
        guard frame.format.isCompressed, !work.groups.isEmpty,
            !work.groups.contains(where: { $0.want.format.isCompressed })
        else { return frame }
        return convert(frame, Self.reduction(to: nil), &work)
    }

    /// Returns the want for scaling a frame down; nil if the frame is small enough.
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

    private static func reduction(to size: FrameSize?) -> VideoWant {
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
            // A filter that was away until now may not have followed, for example.
            if work.filters.hasKeptShape, work.shape.isFollowing { work.keepShape() }
            switch consume outcome {
            case .carried(let edited, let isEdited):
                if !isEdited { work.progress.counts.unedited += 1 }
                work.withheldSince = nil
                return edited
            case .withheld:
                work.progress.counts.withheld += 1
                showSlateIfDue(at: point, &work)
            }
        } catch {
            countUnconvertible(error, &work)
        }
        return nil
    }

    /// Shows a slate if frames are withheld for longer than the last frame stays.
    private func showSlateIfDue(at point: FrameGrid.Point, _ work: inout Work) {
        let since = work.withheldSince ?? point.nanoseconds
        work.withheldSince = since
        guard difference(point.nanoseconds, since) >= SlateText.delay else { return }
        show(.unedited(kind), from: point, &work)
    }

    private func countUnconvertible(_ error: ConversionError, _ work: inout Work) {
        if error.code == .badData {
            work.progress.counts.damaged += 1
        } else {
            work.progress.counts.unconvertible += 1
        }
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

    /// Passes a frame to the branches.
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
