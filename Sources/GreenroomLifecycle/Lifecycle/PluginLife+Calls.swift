import GreenroomModel
import Glibc
import GreenroomABI
import GreenroomAudio
import GreenroomConversion
import GreenroomMedia
import GreenroomPluginInterface
import GreenroomRuntime
import GreenroomVideo

/// The plugin's calls of the host, on any of the plugin's threads, and a pre-processor's edits.
extension PluginLife {
    /// The time on the session clock.
    var now: Int64 { clock.now }

    /// Waits on the session clock while the plugin may send.
    func wait(until deadline: Int64) throws(Refusal) {
        let ended: Status? = clock.wait(
            for: state, until: deadline, as: .plugin(number), yields: true
        ) { state in
            if let running = state.callbacks.running,
                pthread_equal(running.thread, pthread_self()) != 0
            {
                state.callbacks.running?.hasWaited = true
                if running.step == .startSend, state.senderStatus == .ok {
                    state.waitsInStart += 1
                    if state.wakesOnWait { environment.events.wake() }
                    state.wakesOnWait = false
                }
            }
            return state.senderStatus == .ok ? nil : state.senderStatus
        }
        if let ended { throw Refusal(status: ended, in: .waitUntil) }
    }

    func log(_ level: LogLevel, _ text: String) { environment.log(level, text) }

    func setError(_ text: String) { state.withLock { $0.callbacks.errorText = text } }

    /// Pauses a share.
    func pause() {
        if setPaused(true) { environment.tell(.sharePaused(role: environment.role)) }
    }

    /// Resumes a share.
    func resume() {
        if setPaused(false) { environment.tell(.shareResumed(role: environment.role)) }
    }

    /// - Returns: Whether the state changed.
    private func setPaused(_ isPaused: Bool) -> Bool {
        guard environment.canPause else { return false }
        defer { environment.events.wake() }
        return state.withLock { state in
            // The ingests belong to the next life, after this one.
            guard state.isPaused != isPaused, !state.lifecycle.isOver else { return false }
            state.isPaused = isPaused
            environment.pause(isPaused)
            return true
        }
    }

    /// Records whether a source has nothing new to send.
    func hold(_ isHeld: Bool) {
        guard environment.isSource else { return }
        let isChanged = state.withLock { state in
            guard state.isHeld != isHeld, !state.lifecycle.isOver else { return false }
            state.isHeld = isHeld
            if isHeld { environment.hold() }
            return true
        }
        guard isChanged else { return }
        environment.audioIngest?.hold(isHeld)
        environment.events.wake()
    }

    /// Counts media that a source could not decode.
    func countDamaged(_ count: UInt32) {
        environment.videoIngest?.countDamaged(Int(count))
        environment.audioIngest?.countDamaged(Int(count))
    }

    /// Records that the plugin has finished or cannot continue.
    func pluginGaveUp(_ status: Status, _ reason: String) {
        let isFirst = state.withLock { state in
            guard state.gaveUp == nil else { return false }
            state.gaveUp = (status, reason)
            return true
        }
        guard isFirst else { return }
        whileAlive { _ in clock.stopExpecting(plugin: number) }
        environment.events.send(
            .pluginGaveUp(role: environment.role, status: status, reason: reason))
        environment.events.wake()
    }

    /// Passes a frame to a pre-processor, which edits it in place. [media]
    ///
    /// - Parameter frame: Upright I420, a unique reference.
    func process(_ frame: inout VideoFrame) -> Status {
        guard let gate, let backend = gate.enter() else { return .stopped }
        guard Self.canReach(frame, backend) else {
            gate.leave(after: nil)
            return .gone
        }
        var description = gr_mutable_frame(describing: frame, revision: frame.info.offerRevision)
        let begun = clock.now
        let status = backend.process(&description)
        gate.leave(after: clock.now - begun)
        return status
    }

    /// Passes a block to an audio pre-processor, which edits it in place. [media]
    func process(_ block: inout AudioEdit) -> Status {
        guard let gate, let backend = gate.enter() else { return .stopped }
        let begun = clock.now
        let (channels, pts) = (block.channels, block.ptsNanoseconds)
        let status = block.withSamples { samples, reference in
            guard let base = samples.baseAddress else { return Status.failed }
            var edit = gr_audio_edit(
                struct_size: UInt32(MemoryLayout<gr_audio_edit>.size), channels: UInt32(channels),
                frame_count: UInt32(AudioEditing.blockFrames), reserved: 0, pts_ns: pts,
                samples: base, reference: reference?.baseAddress)
            return backend.edit(&edit)
        }
        gate.leave(after: clock.now - begun)
        return lifecycle == .faulted ? .gone : status
    }

    /// Whether this life can access a frame. A frame in the last life's memory is not accessible.
    private static func canReach(
        _ frame: borrowing VideoFrame, _ backend: any InstanceBackend
    ) -> Bool {
        backend.pool.map { $0.owns(frame) } ?? true
    }
}
