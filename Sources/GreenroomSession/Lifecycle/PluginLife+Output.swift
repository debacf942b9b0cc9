import GreenroomABI
import GreenroomConversion
import GreenroomMedia
import GreenroomPluginInterface
import GreenroomRuntime
import GreenroomVideo

/// The calls of an output, and its calls of the host.
extension PluginLife {
    /// Begins to describe tracks; the output answers what it wants of each.
    func beginDescribing(_ tracks: [OutputTrack]) -> PluginInstance.PendingStep {
        begin(.track) { [self] backend in
            guard let feed = environment.feed else { return .done }
            // While it sends, no call may overlap with its media.
            let isInside = gate?.enter() != nil
            defer { if isInside { gate?.leave(after: nil) } }
            for track in tracks {
                var want = feed.lastAnswer(about: track.id)
                let status = backend.describe(track, &want)
                guard status == .ok else {
                    return .failed(
                        status,
                        state.withLock { $0.errorText } ?? "track returned it without a reason")
                }
                do throws(WantProblem) {
                    try feed.settle(want, of: track)
                } catch {
                    return .failed(
                        .badAnswer, "what it wants of the track \(track.name): \(error.explanation)"
                    )
                }
            }
            return .done
        }
    }

    /// Begins to tell it that tracks of participants have ended.
    func beginEnding(tracks: [UInt32]) -> PluginInstance.PendingStep {
        begin(.trackEnded) { [self] backend in
            let isInside = gate?.enter() != nil
            defer { if isInside { gate?.leave(after: nil) } }
            for track in tracks { backend.trackEnded(track) }
            return .done
        }
    }

    /// Passes a frame. [media]
    ///
    /// - Parameter frame: In memory that the plugin can read.
    func take(_ frame: borrowing VideoFrame, _ place: OutputFeed.FramePlace) -> Status? {
        guard let gate, let feed = environment.feed, let backend = gate.enter() else {
            return nil
        }
        // This life can't access a frame in the last life's memory.
        if let pool = backend.pool, !pool.owns(frame) {
            gate.leave(after: nil)
            return nil
        }
        var description = gr_output_frame(
            struct_size: UInt32(MemoryLayout<gr_output_frame>.size), track: place.track,
            id: feed.lend(frame), content: place.periods.content.rawValue,
            periods: UInt32(clamping: place.periods.count), index: place.periods.first,
            frame: gr_video_frame(
                gr_mutable_frame(describing: frame, revision: frame.info.offerRevision)))
        description.frame.info.pts_ns = place.ptsNanoseconds
        let begun = clock.now
        let status = backend.take(&description)
        let nanoseconds = clock.now - begun
        feed.endLending()
        gate.leave(after: nanoseconds)
        // Lost meanwhile: that status is not the plugin's.
        return lifecycle == .faulted ? nil : status
    }

    /// Passes a block of audio. [media]
    ///
    /// - Parameter samples: Interleaved, not empty.
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
        guard let feed = environment.feed else { throw Refusal(.gone, in: .keep) }
        try feed.keep(frame)
    }

    /// Gives a kept frame back.
    func release(_ frame: UInt64) throws(Refusal) {
        guard let feed = environment.feed else { throw Refusal(.gone, in: .release) }
        try feed.release(frame)
    }

    /// Sets a value for the report.
    func report(_ name: String, _ value: Double) throws(Refusal) {
        guard let feed = environment.feed else { throw Refusal(.gone, in: .report) }
        try feed.report(name, value)
    }
}
