import Foundation
import GreenroomABI
import GreenroomConversion
import GreenroomMedia
import GreenroomModel
import Synchronization

@testable import GreenroomPluginInterface
@testable import GreenroomRuntime
@testable import GreenroomLifecycle

/// An output in Swift, without a shared library: records what it gets, and follows a script.
final class FakeOutput: InstanceBackend, PluginFactory {
    /// What it does.
    struct Script: Sendable {
        /// Writes what it wants of a track.
        var want: @Sendable (_ track: OutputTrack, inout gr_want) -> Void = { track, want in
            want.is_wanted = 1
            want.pace = UInt32(GR_PACE_COMPLETE)
        }
        /// The failing step (`initialize`, `track`, `start-send`), with its status.
        var failing: (step: String, status: Status)?
        /// The same in later lives.
        var failingLater: (step: String, status: Status)?
        /// The status with which it gives up when it is stopped; nil not to.
        var endsWith: Status?
        /// Runs when the output stops.
        var onStop: @Sendable () -> Void = {}
        /// The video call that hangs until the session ends the life, from 0; nil if none.
        var hangingFrame: Int?
        /// Whether that call returns only after the test, as one in the host's process may.
        var hangsForGood = false
        /// The status of a video call.
        var status: @Sendable (_ frame: Int) -> Status = { _ in .ok }
        /// What it does as a call, on a thread of its own from start-send on; nil for no thread.
        var farEnd: (@Sendable (_ call: FakeOutput) -> Void)?
        /// Whether it is a call without such a thread.
        var isReactingCall = false
        /// What it does within a video call, besides.
        var onVideo: @Sendable (_ output: FakeOutput, _ frame: gr_output_frame) -> Void = { _, _ in
        }
        /// What it does with an event of the session, besides.
        var onEvent: @Sendable (_ output: FakeOutput, _ json: String) -> Void = { _, _ in }
        /// Allocates what it can read, as of an output in a process of its own; nil for one in the
        /// host's.
        var allocator: FakeAllocator?
        /// What it does within an audio call, besides.
        var onAudio: @Sendable (_ output: FakeOutput, _ block: gr_output_block) -> Void = { _, _ in
        }
    }

    /// A frame that it got.
    struct Frame: Hashable, Sendable {
        var track: UInt32
        var index: Int64
        var periods: Int
        var content: UInt32
        var format: UInt32
        var size: FrameSize
        var luma: UInt8
    }

    private struct State {
        var handle: UInt64 = 0
        var steps: [String] = []
        var tracks: [OutputTrack] = []
        var frames: [Frame] = []
        var audio: [UInt32: [Int16]] = [:]
        var blocks: [UInt32: [Int]] = [:]
        var nextSample: [UInt32: Int64] = [:]
        var calls = 0
        var hasGap = false
        var overlaps = false
        var isInside = false
        /// Frames in memory that it could not read.
        var unreadable = 0
        var lateKeep: Status?
        var demands: [Demand] = []
        var events: [String] = []
        var ended: [UInt32] = []
        var openings: [Opening] = []
    }

    /// That it was told of a track, or of its end.
    struct Opening: Hashable, Sendable {
        var track: UInt32
        var isEnd = false
    }

    let path = "/nowhere/fake-output.so"
    let arrivals: (any PeerListener)? = nil
    private let script: Script
    private let state = Mutex(State())
    private let isKilled = Monitor(false)
    private let isFreed = Monitor(false)
    private let isAtFarEnd = Monitor(false)

    /// Lets a call return that hangs for good.
    func free() { isFreed.change { $0 = true } }

    init(_ script: Script = Script()) { self.script = script }

    /// The steps of its lives, in order.
    var steps: [String] { state.withLock { $0.steps } }
    /// The tracks that it was told of, in order.
    var tracks: [OutputTrack] { state.withLock { $0.tracks } }
    var frames: [Frame] { state.withLock { $0.frames } }
    /// The status with which it could keep a frame after a video call had hung.
    var lateKeep: Status? { state.withLock { $0.lateKeep } }
    /// What it was asked for as a call, in order.
    var demands: [Demand] { state.withLock { $0.demands } }
    /// The events that it was told, as JSON.
    var events: [String] { state.withLock { $0.events } }
    /// The tracks of which it was told that they have ended.
    var ended: [UInt32] { state.withLock { $0.ended } }
    /// Both, in order.
    var openings: [Opening] { state.withLock { $0.openings } }
    /// The samples of a track.
    func audio(_ track: SessionTrack) -> [Int16] { audio(track.id) }
    func audio(_ track: UInt32) -> [Int16] { state.withLock { $0.audio[track] ?? [] } }
    /// The samples of the first track of a name.
    func audio(_ name: String) -> [Int16] {
        tracks.first { $0.name == name }.map { audio($0.id) } ?? []
    }
    /// The lengths of a track's blocks, in frames.
    func blocks(_ track: SessionTrack) -> [Int] { state.withLock { $0.blocks[track.id] ?? [] } }
    /// Whether the index of a block was not the end of the one before.
    var hasGap: Bool { state.withLock { $0.hasGap } }
    /// Whether two media calls overlapped.
    var overlaps: Bool { state.withLock { $0.overlaps } }

    func plan(onFailure: FailurePolicy = .off) -> SourcePlan {
        SourcePlan(
            factory: self,
            descriptor: PluginDescriptor(
                kind: script.farEnd == nil && !script.isReactingCall ? .output : .call,
                id: "test.fake-output",
                name: "FakeOutput", version: "1",
                summary: "", parameters: []),
            settings: [], onFailure: onFailure)
    }

    func begin(_ descriptor: PluginDescriptor, in place: InstanceContext) -> any InstanceBackend {
        state.withLock { $0.handle = place.handle }
        isKilled.change { $0 = false }
        return self
    }

    var handle: UInt64 { state.withLock { $0.handle } }

    // MARK: The plugin

    func create(_ settings: [PluginSetting]) throws(LoadError) -> Status { did("create") }
    /// Other tests have threads, too.
    var isAtRest: Bool { script.isReactingCall || ThreadStates.allSleep() }
    var allocator: (any FrameAllocator)? { script.allocator }
    var isIsolated: Bool { script.allocator != nil }
    /// How many frames it got in memory that it could not read.
    var unreadable: Int { state.withLock { $0.unreadable } }

    func perform(_ call: PluginCall) -> PluginReply {
        var reply = PluginReply(to: call)
        switch call {
        case .initialize(let sender, let offer):
            reply.status = sender == 0 && offer == nil ? did("initialize") : .badArgument
        case .track(let track, _):
            state.withLock { state in
                state.tracks.append(track)
                state.openings.append(Opening(track: track.id))
            }
            script.want(track, &reply.want)
            reply.status = did("track")
        case .trackEnded(let track):
            state.withLock { state in
                state.ended.append(track)
                state.openings.append(Opening(track: track, isEnd: true))
            }
        case .startSend: reply.status = startSend()
        case .stopSend: stopSend()
        case .uninitialize: _ = did("uninitialize")
        case .destroy: _ = did("destroy")
        case .demand(let demand): state.withLock { $0.demands.append(demand) }
        case .event(let json):
            state.withLock { $0.events.append(json) }
            script.onEvent(self, json)
        case .propertyChange, .setParameter, .getExtension: break
        }
        return reply
    }

    private func startSend() -> Status {
        if let farEnd = script.farEnd {
            isAtFarEnd.change { $0 = true }
            Thread.detachNewThread {
                farEnd(self)
                self.isAtFarEnd.change { $0 = false }
            }
        }
        return did("start-send")
    }

    private func stopSend() {
        script.onStop()
        _ = isAtFarEnd.wait(until: nil) { $0 ? nil : true }
        if let status = script.endsWith {
            HostInterface.host.pointee.give_up(handle, status.rawValue, "the end is torn")
        }
        _ = did("stop-send")
    }

    func kill() { isKilled.change { $0 = true } }

    func take(_ frame: inout gr_output_frame, in memory: (any AnyObject & Sendable)?) -> Status? {
        enter()
        defer { leave() }
        let number = state.withLock { state in
            defer { state.calls += 1 }
            return state.calls
        }
        if script.allocator != nil, !(memory is FakeAllocator.Memory) {
            state.withLock { $0.unreadable += 1 }
        }
        if number == script.hangingFrame {
            let freed = script.hangsForGood ? isFreed : isKilled
            // The next life has another one.
            let handle = handle
            _ = freed.wait(until: nil) { $0 ? true : nil }
            let status = Status(rawValue: HostInterface.output.pointee.keep(handle, frame.id))
            state.withLock { $0.lateKeep = status }
            return .ok
        }
        let got = Frame(
            track: frame.track, index: frame.index, periods: Int(frame.periods),
            content: frame.content, format: frame.frame.format,
            size: FrameSize(width: Int(frame.frame.width), height: Int(frame.frame.height)),
            luma: frame.frame.planes.0.data?[0] ?? 0)
        state.withLock { $0.frames.append(got) }
        script.onVideo(self, frame)
        return script.status(number)
    }

    func take(_ block: inout gr_output_block) -> Status {
        enter()
        defer { leave() }
        let (track, format) = (block.track, block.block)
        let samples = UnsafeBufferPointer(
            start: format.samples, count: Int(format.frame_count * format.channels))
        state.withLock { state in
            state.hasGap = state.hasGap || state.nextSample[track, default: 0] != block.index
            state.nextSample[track] = block.index + Int64(format.frame_count)
            state.audio[track, default: []] += samples
            state.blocks[track, default: []].append(Int(format.frame_count))
        }
        script.onAudio(self, block)
        return .ok
    }

    private func enter() {
        state.withLock {
            $0.overlaps = $0.overlaps || $0.isInside
            $0.isInside = true
        }
    }

    private func leave() { state.withLock { $0.isInside = false } }

    private func did(_ step: String) -> Status {
        let isLater = state.withLock { state in
            state.steps.append(step)
            return state.steps.count { $0 == "create" } > 1
        }
        let failing = [script.failing, isLater ? script.failingLater : nil].compactMap(\.self)
        return failing.first { $0.step == step }?.status ?? .ok
    }
}
