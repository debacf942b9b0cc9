import Glibc
import GreenroomModel
import GreenroomABI
import GreenroomConversion
import GreenroomMedia
import GreenroomPluginInterface
import GreenroomRuntime
import GreenroomVideo

/// Steps of an output, and the output's calls of the host.
extension PluginLife {
    /// Begins to describe tracks. The output answers with its want of each track.
    ///
    /// - Parameter isAll: Whether `tracks` are all tracks that the output is described.
    func beginDescribing(
        _ tracks: [OutputTrack], isAll: Bool
    ) -> PluginInstance.PendingStep {
        begin(.track) { [self] backend in
            guard let feed = environment.feed else { return .done }
            if isAll { feed.control.willDescribe() }
            for track in tracks {
                let call = PluginCall.track(track, want: feed.lastAnswer(about: track.id))
                // Each call has the full time of a callback.
                setCallbackTime(runs: true)
                guard let reply = betweenMedia({ backend.perform(call) }) else {
                    return .illegal(lifecycle)
                }
                guard reply.status == .ok else { return failure(reply.status, of: .track) }
                // Ignore reports of an abandoned instance.
                guard !lifecycle.isOver else { return .illegal(lifecycle) }
                do throws(InvalidValueError) {
                    try feed.settle(reply.want, of: track)
                } catch {
                    return .failed(
                        .badAnswer,
                        .given("want for the track \(track.name): \(error)"))
                }
            }
            feed.control.didDescribe()
            return .done
        }
    }

    /// Begins to notify the output of the end of each wanted participant's track.
    func beginEnding() -> PluginInstance.PendingStep {
        begin(.trackEnded) { [self] backend in
            // The earlier questions are answered by now.
            let tracks = environment.feed?.takeEnds() ?? []
            let isDone: Void? = betweenMedia {
                for track in tracks { backend.perform(.trackEnded(track)) }
            }
            return isDone == nil ? .illegal(lifecycle) : .done
        }
    }

    /// Calls a plugin between its media calls, if it is sending. [control]
    ///
    /// - Returns: The result; nil if the plugin can no longer be called.
    func betweenMedia<Result>(_ call: () -> Result) -> Result? {
        let lifecycle = lifecycle
        guard !lifecycle.isOver else { return nil }
        guard lifecycle == .sending, let gate else { return call() }
        // The step's time begins when the media call has returned.
        setCallbackTime(runs: false)
        let isAdmitted = gate.enterFirst()
        setCallbackTime(runs: true)
        guard isAdmitted else { return nil }
        defer { gate.leave(after: nil) }
        return call()
    }

    /// Passes a frame. [media]
    ///
    /// - Parameter frame: A frame in memory that the plugin can read; see
    ///   ``PluginInstance/allocator``.
    func take(
        _ frame: borrowing VideoFrame, _ place: OutputFeed.FramePlace
    ) -> OutputFeed.Result {
        guard let gate, let feed = environment.feed, let backend = gate.enter() else {
            return .away
        }
        var description = gr_output_frame(
            struct_size: UInt32(MemoryLayout<gr_output_frame>.size), track: place.track,
            id: feed.lend(frame), content: place.periods.content.rawValue,
            periods: UInt32(clamping: place.periods.count), index: place.periods.first,
            frame: gr_video_frame(
                gr_mutable_frame(describing: frame, revision: frame.info.offerRevision)))
        description.frame.info.pts_ns = place.ptsNanoseconds
        let begun = clock.now
        let status = backend.take(&description, in: frame.sharedMemory)
        let nanoseconds = clock.now - begun
        feed.endLending()
        gate.leave(after: nanoseconds)
        // If the plugin was lost during the call, the status is not the plugin's.
        return lifecycle == .faulted ? .away : status.map(OutputFeed.Result.status) ?? .noBuffer
    }

    /// Passes a block of audio. [media]
    ///
    /// - Parameter samples: Interleaved samples; not empty.
    func take(_ samples: Span<Int16>, _ place: OutputFeed.BlockPlace) -> Status? {
        guard let gate, let backend = gate.enter() else { return nil }
        let begun = clock.now
        let status = samples.withUnsafeBufferPointer { samples in
            var description = gr_output_block(
                struct_size: UInt32(MemoryLayout<gr_output_block>.size), track: place.track,
                index: place.index,
                block: gr_audio_block(
                    struct_size: UInt32(MemoryLayout<gr_audio_block>.size),
                    sample_rate_hz: UInt32(place.format.sampleRate),
                    channels: UInt32(place.format.channels),
                    frame_count: UInt32(samples.count / place.format.channels),
                    samples: samples.baseAddress, size_bytes: UInt64(samples.count * 2),
                    pts_ns: place.ptsNanoseconds))
            return backend.take(&description)
        }
        gate.leave(after: clock.now - begun)
        return lifecycle == .faulted ? nil : status
    }

    // MARK: The plugin's calls

    /// Keeps the frame of the running callback.
    func keep(_ frame: UInt64) throws(Refusal) {
        try whileOutput(.keep) { feed throws(Refusal) in try feed.keep(frame) }
    }

    /// Releases a kept frame.
    func release(_ frame: UInt64) throws(Refusal) {
        guard let feed = environment.feed else { throw Refusal(.gone, in: .release) }
        try feed.release(frame)
    }

    /// Sets one of the report's values.
    func report(_ name: String, _ value: Double) throws(Refusal) {
        guard let feed = environment.feed else { throw Refusal(.gone, in: .report) }
        try feed.report(name, value)
    }

    /// Sets the output's ceiling of a track; nil removes the ceiling.
    func set(
        ceiling: gr_capability?, of track: UInt32, because reason: String
    ) throws(Refusal) {
        let isNews = try whileOutput(.setCeiling) { feed throws(Refusal) in
            try feed.set(ceiling: ceiling, of: track, because: reason)
        }
        if isNews { environment.events.wake() }
    }

    /// Requests that the tracks are described again.
    func wantsChanged() throws(Refusal) {
        try whileOutput(.wantsChanged) { feed throws(Refusal) in feed.control.request() }
        environment.events.wake()
    }

    /// Stores the state that the output reports.
    func set(output state: UInt32, _ text: String?) throws(Refusal) {
        let condition = try whileOutput(.outputState) {
            feed throws(Refusal) -> OutputControl.Condition? in
            guard let known = OutputCondition(plugin: state) else {
                throw Refusal(.outputState(state), in: .outputState)
            }
            let condition = OutputControl.Condition(state: known, text: text)
            return feed.control.set(condition) ? condition : nil
        }
        guard let condition else { return }
        environment.tell(
            .outputState(role: environment.role, state: condition.state, text: condition.text))
    }

    /// Reports that the output has completed a file.
    func finish(file path: String) throws(Refusal) {
        guard environment.feed != nil else { throw Refusal(.gone, in: .fileFinished) }
        guard environment.mayName(file: path) else {
            throw Refusal(.unknownFile(path), in: .fileFinished)
        }
        environment.tell(.fileFinished(role: environment.role, file: path))
    }

    /// Adds a caption to the session.
    func add(_ caption: Caption) throws(Refusal) {
        let length = caption.text.utf8.count
        guard (1...Int(GR_MAX_CAPTION)).contains(length) else {
            throw Refusal(.captionText(length), in: .caption)
        }
        let (start, end) = (caption.startNanoseconds, caption.endNanoseconds)
        guard start >= 0, end >= start, end - start <= Int64(GR_MAX_CAPTION_NS) else {
            throw Refusal(.captionTimes(start: start, end: end), in: .caption)
        }
        guard lifecycle == .sending else {
            throw Refusal(lifecycle.isOver ? .gone : .notStarted, in: .caption)
        }
        environment.tell(.caption(role: environment.role, caption))
    }

    /// Changes the feed's data about the plugin, unless this life has ended. Each life starts with
    /// fresh data.
    private func whileOutput<Result>(
        _ call: HostFunction, _ body: (OutputFeed) throws(Refusal) -> sending Result
    ) throws(Refusal) -> Result {
        guard let feed = environment.feed else { throw Refusal(.gone, in: call) }
        return try state.withLock { state throws(Refusal) in
            guard !state.lifecycle.isOver, state.lifecycle != .uninitialized else {
                throw Refusal(.gone, in: call)
            }
            return try body(feed)
        }
    }
}
