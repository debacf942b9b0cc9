import CLinux
import GreenroomABI
import GreenroomIPC
import GreenroomMedia
import GreenroomPluginInterface
import Synchronization

/// The plugin's calls: passed to the host, which checks the arguments.
extension Runner {
    /// The runners of this process, oldest first.
    static let all = Mutex<[Runner]>([])

    private static let isInstalled: Void = {
        HostInterface.runners = HostInterface.Performer { perform($0) }
    }()

    /// Adds a runner, whose plugin may call the functions of ``HostInterface`` from now on.
    static func add(_ runner: Runner) {
        _ = isInstalled
        all.withLock { $0.append(runner) }
    }

    static func remove(_ runner: Runner) { all.withLock { $0.removeAll { $0 === runner } } }

    private static func perform(_ call: HostCall) -> gr_status {
        if call.function == .refusalText {
            return ThreadChannels.last?.pass(call) ?? Status.unsupported.rawValue
        }
        guard let (runner, handle) = route(call) else { return Status.gone.rawValue }
        return runner.perform(call, of: handle)
    }

    // MARK: Handles

    private static let lastHandle = Atomic<UInt64>(0)

    /// Creates a handle for an instance or a sender. The handle is unique in this process; two hosts may
    /// use equal handles.
    static func nextHandle() -> UInt64 {
        HostInterface.runnerMark | lastHandle.wrappingAdd(1, ordering: .relaxed).newValue
    }

    /// The plugin's handle of a track's sender, and the reverse. Other handles of the plugin are far
    /// smaller.
    ///
    /// The plugin's handle follows from the host's, because a demand for an open track may arrive before
    /// the call that opened it has returned.
    static func handle(ofTrack host: UInt64) -> UInt64 { host ^ HostInterface.runnerMark }

    /// The runner of a call's instance or sender, and the host's handle. An unknown handle becomes 0 and
    /// goes to the runner of the newest instance, whose host refuses it.
    private static func route(_ call: HostCall) -> (runner: Runner, handle: UInt64)? {
        all.withLock { runners in
            for runner in runners where call.handle != 0 {
                let handle = runner.state.withLock { state -> UInt64? in
                    if state.instance.own == call.handle { return state.instance.host }
                    if state.sender.own == call.handle { return state.sender.host }
                    let track = Self.handle(ofTrack: call.handle)
                    return state.tracks.contains { $0.sender == track } ? track : nil
                }
                if let handle { return (runner, handle) }
            }
            let newest = runners.last { $0.state.withLock { $0.instance.own != 0 } }
            return (newest ?? runners.first).map { ($0, 0) }
        }
    }

    // MARK: Calls

    /// - Parameter handle: The host's handle of the call's instance or sender.
    private func perform(_ own: HostCall, of handle: UInt64) -> gr_status {
        var call = own
        call.handle = handle
        switch call.function {
        case .closeTrack, .setMuted: call.numbers.0 = Self.handle(ofTrack: call.numbers.0)
        case .getExtension:
            let isThere =
                handle != 0 && call.names(oneOf: state.withLock { $0.extensions })
                && call.text.map { probe?.withholds($0) ?? false } == false
            return isThere ? Status.ok.rawValue : Status.unsupported.rawValue
        case .now where isOnRealClock(own.handle):
            call.value()?.pointee = greenroom_monotonic_now()
            return Status.ok.rawValue
        // The host counts waits inside start-send, and refuses them with a reason.
        case .waitUntil
        where isOnRealClock(own.handle) && waitsHere(until: Int64(bitPattern: call.numbers.0)):
            return Status.ok.rawValue
        case .videoSend: return send(call)
        case .videoAcquire: return acquire(call)
        case .videoCommit: return commit(call)
        case .videoAbandon:
            _ = takeLeased(call.numbers.0, sender: handle)
            probe?.willReturn(lease: call.numbers.0)
        case .giveUp: state.withLock { $0.hasGivenUp = true }
        default: break
        }
        guard let place = call.function.facts.descriptorOffset else {
            let status = channel.pass(call)
            if status == Status.ok.rawValue { note(accepted: call) }
            return status
        }
        return passForDescriptor(call, at: place)
    }

    /// Records the effects of a call on the runner.
    private func note(accepted call: HostCall) {
        switch call.function {
        case .finished: state.withLock { $0.hasGivenUp = true }
        case .openTrack:
            guard let track = call.value(of: gr_open_track.self) else { return }
            let (sender, participant) = (track.pointee.sender, track.pointee.participant)
            state.withLock {
                $0.tracks.append(TrackSender(sender: sender, participant: participant))
            }
            track.pointee.sender = Self.handle(ofTrack: sender)
        case .closeTrack:
            state.withLock { $0.tracks.removeAll { $0.sender == call.numbers.0 } }
        case .left:
            state.withLock { $0.tracks.removeAll { $0.participant == call.numbers.0 } }
        default: break
        }
    }

    // MARK: Descriptors

    /// Stores a descriptor until the requesting call takes it.
    func addDescriptor(_ number: UInt32, _ descriptors: [Int32]) {
        ControlSocket.discard(Array(descriptors.dropFirst()))
        guard let descriptor = descriptors.first else { return }
        self.descriptors.withLock { $0[number] = descriptor }
        descriptorArrived.give()
    }

    /// Passes a call whose result contains a descriptor. The host sends it through the socket before the
    /// answer, and writes its number instead.
    private func passForDescriptor(_ call: HostCall, at offset: Int) -> gr_status {
        // Make one call at a time, so that each descriptor wakes the waiting thread.
        descriptorCalls.withLock { _ in
            let status = channel.pass(call)
            guard status == Status.ok.rawValue,
                let value = UnsafeMutableRawPointer(bitPattern: call.valueAddress)
            else { return status }
            let number = value.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
            value.storeBytes(of: -1, toByteOffset: offset, as: Int32.self)
            let deadline = greenroom_monotonic_now() + 1_000_000_000
            while !channels.isLost {
                if let descriptor = descriptors.withLock({ $0.removeValue(forKey: number) }) {
                    value.storeBytes(of: descriptor, toByteOffset: offset, as: Int32.self)
                    return status
                }
                guard descriptorArrived.take(until: deadline) else { break }
            }
            return Status.gone.rawValue
        }
    }
}
