import Foundation
import GreenroomABI
import GreenroomMedia
import GreenroomModel
import Synchronization

@testable import GreenroomPluginInterface
@testable import GreenroomRuntime
@testable import GreenroomLifecycle

/// A microphone in Swift, without a shared library: sends blocks of 10 ms on a thread of its own,
/// evenly on the session clock, and leaves out what its script says.
final class FakeMicrophone: InstanceBackend, PluginFactory {
    /// What it does other than well.
    struct Script: Sendable {
        /// The blocks that it leaves out.
        var silent = 0..<0
        /// Whether it leaves out a block besides.
        var leavingOut: @Sendable (_ block: Int) -> Bool = { _ in false }
        /// After how many blocks it comes to its end in order; nil for never.
        var blocks: Int?
        /// Nanoseconds from one block to the next.
        var interval: Int64 = 10_000_000
        /// Where it connects by itself; nil if the host makes it.
        var arrivals: FakeListener?
        /// Whether its blocks declare three channels.
        var hasThreeChannels = false
    }

    let path = "/nowhere/fake.so"
    var arrivals: (any PeerListener)? { script.arrivals }
    private let script: Script
    private let handles = Mutex<(handle: UInt64, sender: UInt64)>((0, 0))
    private let isSending = Monitor(false)

    init(_ script: Script = Script()) { self.script = script }

    /// A plan of it.
    func plan(_ kind: PluginKind = .virtualMic, onFailure: FailurePolicy = .end) -> SourcePlan {
        SourcePlan(
            factory: self,
            descriptor: PluginDescriptor(
                kind: kind, id: "test.fake-mic", name: "FakeMic", version: "1", summary: "",
                parameters: []),
            settings: [], onFailure: onFailure)
    }

    func begin(_ descriptor: PluginDescriptor, in place: InstanceContext) -> any InstanceBackend {
        handles.withLock { $0.handle = place.handle }
        return self
    }

    func create(_ settings: [PluginSetting]) throws(LoadError) -> Status { .ok }

    func perform(_ call: PluginCall) -> PluginReply {
        switch call {
        case .initialize(let sender, _): handles.withLock { $0.sender = sender }
        case .startSend:
            isSending.change { $0 = true }
            Thread.detachNewThread {
                self.send()
                self.isSending.change { $0 = false }
            }
        case .stopSend: _ = isSending.wait(until: nil) { $0 ? nil : true }
        default: break
        }
        return PluginReply(to: call)
    }

    private func send() {
        let (host, audio) = (HostInterface.host.pointee, HostInterface.audio.pointee)
        let (handle, sender) = handles.withLock { $0 }
        var samples = [Int16](repeating: 5000, count: 480)
        var due = host.now_ns(handle)
        for number in 0... {
            if number == script.blocks {
                host.give_up(handle, Status.ok.rawValue, "the song is over")
                return
            }
            guard host.wait_until_ns(handle, due) == 0 else { return }
            if !script.silent.contains(number), !script.leavingOut(number) {
                let status = samples.withUnsafeMutableBufferPointer { samples in
                    var block = gr_audio_block()
                    block.struct_size = UInt32(MemoryLayout<gr_audio_block>.size)
                    block.sample_rate_hz = 48_000
                    block.channels = script.hasThreeChannels ? 3 : 1
                    block.frame_count = 480
                    block.samples = UnsafePointer(samples.baseAddress)
                    block.size_bytes = 960
                    block.pts_ns = due
                    return audio.send(sender, &block, 0)
                }
                guard status == 0 || status == Status.queueFull.rawValue || script.hasThreeChannels
                else { return }
            }
            due += script.interval
        }
    }
}
