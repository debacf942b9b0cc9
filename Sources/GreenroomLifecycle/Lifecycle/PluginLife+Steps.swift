import GreenroomModel
import GreenroomABI
import GreenroomConversion
import GreenroomMedia
import GreenroomNegotiation
import GreenroomPluginInterface
import GreenroomRuntime

extension PluginLife {
    /// Begins to create the plugin.
    func beginCreate(from factory: any PluginFactory) -> PluginInstance.PendingStep {
        let handle = HostCalls.add(self)
        let backend = factory.begin(environment.descriptor, in: context(handle))
        state.withLock { state in
            state.handle = handle
            state.backend = backend
            state.connections = ConnectionBroker(factory.connections)
        }
        return beginUnchecked(.create) { [self] in
            do throws(LoadError) {
                let status = try backend.create(settings)
                guard status == .ok else {
                    let failed = failure(status, of: .create)
                    giveUp(because: failureReason(of: .create).description)
                    return failed
                }
                whileAlive { _ in environment.videoIngest?.begin(pool: backend.pool) }
                return .done
            } catch {
                giveUp(because: error.explanation)
                state.withLock { state in
                    switch error.code {
                    case .noRunner: state.cause = .noProcess
                    case .badInstance: state.cause = .brokenRule
                    default: break
                    }
                }
                let status = error.code == .noRunner ? Status.unavailable : .badArgument
                return .failed(status, .given(error.explanation))
            }
        }
    }

    /// Returns the backend's context. The context does not refer to the life, because lives refer
    /// to their backends.
    private func context(_ handle: UInt64) -> InstanceContext {
        InstanceContext(
            handle: handle, role: environment.role, hasVirtualClock: clock.isVirtual,
            extensions: environment.extensions, frameLimit: environment.frameLimit,
            lentBytes: { [weak self] in
                self?.state.withLock { $0.backend }?.lentByteCount ?? 0
            },
            clock: clock.host,
            log: { [environment] in environment.log($0, $1) },
            warnOnce: { [environment] in environment.warnOnce($0) },
            wake: { [environment] in environment.events.wake() },
            lose: { [weak self] in self?.lose(because: $0) },
            agreedRate: { [weak self] in
                self?.state.withLock { $0.negotiation.agreement }?.track.rate.framesPerSecond
            },
            startsProcess: { [weak self] in self?.setCallbackTime(runs: false) },
            didStartProcess: { [weak self] in self?.setCallbackTime(runs: true) },
            whereabouts: { [weak self] in
                self?.state.withLock { state in
                    state.callbacks.running.map { "in \($0.step.rawValue)" }
                        ?? state.callbacks.last.map { "after \($0.rawValue)" }
                }
            })
    }

    /// Begins to initialize, with a new sender and an offer.
    func beginInitialize(offer: Offer?) -> PluginInstance.PendingStep {
        begin(.initialize) { [self] backend in
            let sender = makeSender()
            state.withLock { $0.negotiation.offer = offer }
            if let offer { offered(offer) }
            let reply = backend.perform(.initialize(sender: sender, offer: offer))
            guard reply.status == .ok else {
                endSender()
                return failure(reply.status, of: .initialize)
            }
            guard let offer, !environment.descriptor.kind.isFilter else { return .done }
            do throws(InvalidValueError) {
                let answer = try settle(reply.answer, of: offer)
                state.withLock { $0.negotiation.reply = (offer.revision, .answered(answer)) }
                return .done
            } catch {
                // The plugin is initialized despite the bad answer, and must be uninitialized.
                endSender()
                backend.perform(.uninitialize)
                state.withLock { $0.cause = .brokenRule }
                return .failed(.badAnswer, .given(error.description))
            }
        }
    }

    private func makeSender() -> UInt64 {
        let sender =
            if let videoIngest = environment.videoIngest {
                HostCalls.videoIngests.insert(videoIngest)
            } else if let audioIngest = environment.audioIngest {
                HostCalls.audioIngests.insert(audioIngest)
            } else { UInt64(0) }
        state.withLock { $0.sender = sender }
        return sender
    }

    /// Begins to pass a new offer.
    func beginPropertyChange(offer: Offer) -> PluginInstance.PendingStep {
        begin(.propertyChange) { [self] backend in
            let reply = reply(to: offer, backend)
            state.withLock { $0.negotiation.reply = (offer.revision, reply) }
            return .done
        }
    }

    private func reply(to offer: Offer, _ backend: any InstanceBackend) -> Reply {
        guard backend.takesNewOffers else { return .ignored }
        if environment.descriptor.kind.isFilter { return filterReply(to: offer, backend) }
        state.withLock { $0.negotiation.offer = offer }
        // The plugin may send frames for the offer during the call.
        offered(offer)
        // A composer receives frames during the call.
        guard let reply = betweenMedia({ backend.perform(.propertyChange(offer)) }) else {
            return .ignored
        }
        guard reply.status == .ok else {
            return .refused(reply.status, failureReason(of: .propertyChange).description)
        }
        do throws(InvalidValueError) {
            return .answered(try settle(reply.answer, of: offer))
        } catch {
            return .refused(.badAnswer, error.description)
        }
    }

    /// Returns the reply of a pre-processor. A pre-processor that rejects the change receives
    /// frames as before.
    private func filterReply(to offer: Offer, _ backend: any InstanceBackend) -> Reply {
        gate?.waitUntilOut()
        let status = backend.perform(.propertyChange(offer)).status
        switch status {
        case .ok:
            state.withLock { $0.negotiation.offer = offer }
            return .answered(.accept)
        case .unsupported: return .ignored
        default: return .refused(status, failureReason(of: .propertyChange).description)
        }
    }

    /// Passes a new size or rate of the frames to a pre-processor, and waits. [the track's thread]
    ///
    /// - Returns: Whether the pre-processor receives such frames from now on; nil if it has not
    ///   returned. The next call waits again.
    func change(to frames: VideoCapability, until deadline: Int64) -> Bool? {
        while true {
            let (begun, last, backend) = state.withLock {
                ($0.negotiation.change, $0.negotiation.offer, $0.backend)
            }
            guard backend?.takesNewOffers == true, let last else { return false }
            let change = begun ?? beginChange(from: last, to: frames)
            guard let result = change.step.wait(until: deadline, on: clock.host) else { return nil }
            state.withLock { $0.negotiation.change = nil }
            // The plugin received a different offer before.
            guard change.frames == frames else { continue }
            let (reply, offer) = state.withLock {
                ($0.negotiation.reply?.reply, $0.negotiation.offer)
            }
            if result == .done, case .refused(let status, let reason) = reply {
                environment.tell(
                    .stepFailed(
                        role: environment.role, step: .lifecycle(.propertyChange),
                        status: status, reason: reason))
            }
            return offer?.suggested == frames
        }
    }

    private func beginChange(
        from last: Offer, to frames: VideoCapability
    ) -> FrameChange {
        let offer = Offer(
            revision: last.revision &+ 1, rule: .rows,
            reason: frames.fits(under: last.suggested) ? .ceilingLowered : .ceilingRaised,
            rows: [frames], suggested: frames)
        let change = FrameChange(
            frames: frames, step: beginPropertyChange(offer: offer), since: clock.host.now)
        state.withLock { $0.negotiation.change = change }
        return change
    }

    private func offered(_ offer: Offer) {
        whileAlive { _ in environment.videoIngest?.offered(revision: offer.revision) }
    }

    private func settle(_ written: gr_answer, of offer: Offer) throws(InvalidValueError) -> Answer {
        let answer = try Answer(written, to: offer)
        let advice = written.advice(on: answer)
        let agreement: Agreement
        do throws(InvalidValueError) {
            agreement = try offer.settle(answer)
        } catch {
            throw InvalidValueError(
                error.description + (advice.map { " I\($0.dropFirst())." } ?? ""))
        }
        if let advice { advise(advice) }
        whileAlive { state in
            state.negotiation.agreement = agreement
            environment.videoIngest?.agreed(
                revision: offer.revision,
                promise: environment.descriptor.kind.offerRule == .rows ? agreement.source : nil)
            state.backend?.senderChanged(sends: state.senderStatus == .ok)
        }
        return answer
    }

    /// Logs advice for the plugin's author about its answers, once per life.
    private func advise(_ text: String) {
        let isNews = state.withLock { state in
            defer { state.negotiation.advice = text }
            return state.negotiation.advice == nil
        }
        if isNews { environment.tell(.note(role: environment.role, text: text)) }
    }

    /// Begins to change a live parameter.
    ///
    /// - Parameter keep: Stores the setting for the report and the next life.
    func beginSetParameter(
        _ setting: PluginSetting, keep: @escaping @Sendable (PluginSetting) -> Void
    ) -> PluginInstance.PendingStep {
        begin(.setParameter) { [self] backend in
            let descriptor = environment.descriptor
            guard settings.contains(where: { $0.name == setting.name }),
                descriptor.parameters.contains(where: { $0.name == setting.name && $0.isLive })
            else {
                return .failed(
                    .badSetting,
                    .given("\(setting.name) cannot change while \(descriptor.name) lives"))
            }
            let status = backend.perform(.setParameter(setting)).status
            // If the life ended meanwhile, the setting applies to the next one.
            guard status == .ok || lifecycle == .faulted else {
                return failure(status, of: .setParameter)
            }
            keep(setting)
            return .done
        }
    }

    /// Begins to start sending. Frames are accepted before the callback returns, because a plugin
    /// may start its threads in the callback.
    ///
    /// A loop inside the last start-send that has not noticed the stop may still run. The host
    /// accepts the loop's frames again. When the loop ends, the queued stop and this start run.
    func beginStartSend() -> PluginInstance.PendingStep {
        let accepted = environment.acceptedCount
        let loops = state.withLock { state in
            state.isWanted = true
            state.acceptedBeforeStart = accepted
            return state.callbacks.running?.step == .startSend
        }
        if loops { follow(.sending) }
        return begin(.startSend) { [self] backend in
            // A queued start that a stop followed opens nothing.
            guard state.withLock({ $0.isWanted }) else { return .illegal(lifecycle) }
            whileAlive { _ in clock.stopExpecting(plugin: number) }
            follow(.sending)
            let status = backend.perform(.startSend).status
            // A loop inside start-send may return the status that a send returned after the stop.
            let wasStopped = state.withLock { $0.callbacks.running?.wasStopped ?? false }
            guard status == .ok || status == .stopped && wasStopped else {
                follow(lifecycle)
                whileAlive { _ in clock.stopExpecting(plugin: number) }
                return failure(status, of: .startSend)
            }
            whileAlive { state in
                gate?.open(to: backend)
                // A finished source sends no further frames.
                guard state.gaveUp == nil else { return }
                if environment.descriptor.kind.sender != nil {
                    clock.expect(plugin: number)
                } else if environment.roster != nil {
                    // A call may send media continuously, or only in its callbacks.
                    clock.expect(plugin: number, unless: { backend.isAtRest })
                }
            }
            return .done
        }
    }

    /// Begins to stop sending. After the step, the host accepts no frame or block.
    func beginStopSend() -> PluginInstance.PendingStep {
        closeIngest()
        return begin(.stopSend) { [self] backend in
            // A start queued earlier may have reopened the ingest.
            follow(.stopped)
            gate?.close()
            gate?.waitUntilOut()
            backend.perform(.stopSend)
            var kept = OutputFeed.KeptFrames()
            whileAlive { _ in
                clock.release(plugin: number)
                kept = environment.feed?.takeFrames() ?? kept
            }
            // Released outside the lock.
            kept = [:]
            return .done
        }
    }

    /// Closes the ingest, and cancels a queued start-send.
    func closeIngest() {
        state.withLock { state in
            state.isWanted = false
            if state.callbacks.running?.step == .startSend {
                state.callbacks.running?.wasStopped = true
            }
        }
        follow(.stopped)
    }

    /// Begins to end the sender.
    func beginUninitialize() -> PluginInstance.PendingStep {
        begin(.uninitialize) { [self] backend in
            endSender()
            environment.feed?.control.endLife()
            backend.perform(.uninitialize)
            return .done
        }
    }

    /// Begins to free the plugin.
    func beginDestroy() -> PluginInstance.PendingStep {
        begin(.destroy) { [self] backend in
            backend.perform(.destroy)
            leave()
            return .done
        }
    }

    /// Begins a call outside a session's steps.
    func beginAsking(
        _ step: LifecycleStep, _ call: PluginCall,
        _ read: @escaping @Sendable (PluginReply) -> Void
    ) -> PluginInstance.PendingStep {
        beginUnchecked(step) { [self] in
            guard let backend = state.withLock({ $0.backend }) else { return .illegal(lifecycle) }
            let reply = backend.perform(call)
            read(reply)
            return reply.status == .ok ? .done : failure(reply.status, of: step)
        }
    }

    /// Returns the result of a step that the plugin refused.
    func failure(_ status: Status, of step: LifecycleStep) -> PluginInstance.StepResult {
        if status == .badSetting, step != .setParameter {
            state.withLock { $0.cause = .badSettings }
        }
        return .failed(status, failureReason(of: step))
    }

    /// Returns the plugin's `set_error` text in the callback that has just failed.
    private func failureReason(of step: LifecycleStep) -> FailureReason {
        state.withLock { $0.callbacks.errorText }.map { .given($0) } ?? .missing(step)
    }
}
