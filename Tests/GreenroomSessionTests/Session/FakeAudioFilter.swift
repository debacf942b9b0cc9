import GreenroomABI
import GreenroomConversion
import GreenroomMedia
import GreenroomModel
import Synchronization

@testable import GreenroomLifecycle
@testable import GreenroomPluginInterface

/// An audio filter in Swift, without a shared library: delays audio as it declares, and multiplies it.
final class FakeAudioFilter: InstanceBackend, PluginFactory {
    struct Script: Sendable {
        var editing = AudioEditing()
        var factor: Int16 = 1
        /// The edits that it refuses, from 0.
        var refusing = 0..<0
        /// The failing step, with its status.
        var failing: (step: String, status: Status)?
    }

    /// All instances of one plugin count in the plugin's.
    private struct State {
        var made = 0
        var starts = 0
        var edits = 0
        var loudestReference: Int16 = 0
        var hasReference = false
        var held: [Int16] = []
    }

    let path = "/nowhere/fake.so"
    var arrivals: (any PeerListener)? { nil }
    private let script: Script
    private let plugin: FakeAudioFilter?
    private let state = Mutex(State())

    init(_ script: Script = Script()) {
        self.script = script
        plugin = nil
    }

    private init(of plugin: FakeAudioFilter) {
        script = plugin.script
        self.plugin = plugin
    }

    var made: Int { state.withLock { $0.made } }
    var starts: Int { state.withLock { $0.starts } }
    var edits: Int { state.withLock { $0.edits } }
    var hasReference: Bool { state.withLock { $0.hasReference } }
    var loudestReference: Int16 { state.withLock { $0.loudestReference } }

    func plan(onFailure: FailurePolicy = .off, isRequired: Bool = false) -> SourcePlan {
        var configuration = PluginConfiguration("FakeFilter")
        configuration.isRequired = isRequired
        return SourcePlan(
            factory: self,
            descriptor: PluginDescriptor(
                kind: .audioPreProcessor, id: "test.fake-filter", name: "FakeFilter", version: "1",
                summary: "", parameters: []),
            settings: [], configuration: configuration, onFailure: onFailure)
    }

    func begin(_ descriptor: PluginDescriptor, in place: InstanceContext) -> any InstanceBackend {
        state.withLock { $0.made += 1 }
        return FakeAudioFilter(of: self)
    }

    func create(_ settings: [PluginSetting]) throws(LoadError) -> Status { status(of: "create") }
    var audioEditing: AudioEditing? { script.editing }

    func perform(_ call: PluginCall) -> PluginReply {
        var reply = PluginReply(to: call)
        switch call {
        case .initialize(let sender, let offer):
            reply.status = sender == 0 && offer == nil ? status(of: "initialize") : .badArgument
        case .startSend:
            let count = script.editing.delayFrames * script.editing.channels
            state.withLock { $0.held = [Int16](repeating: 0, count: count) }
            plugin?.state.withLock { $0.starts += 1 }
            reply.status = status(of: "start-send")
        default: break
        }
        return reply
    }

    func edit(_ block: inout gr_audio_edit) -> Status {
        let count = Int(block.frame_count * block.channels)
        let samples = UnsafeMutableBufferPointer(start: block.samples, count: count)
        let reference = block.reference.map { UnsafeBufferPointer(start: $0, count: count) }
        let number = plugin?.state.withLock { state in
            state.hasReference = state.hasReference || reference != nil
            state.loudestReference = max(state.loudestReference, reference?.max() ?? 0)
            defer { state.edits += 1 }
            return state.edits
        }
        state.withLock { state in
            let all = state.held + samples
            state.held = Array(all.suffix(state.held.count))
            for index in samples.indices { samples[index] = all[index] &* script.factor }
        }
        return script.refusing.contains(number ?? 0) ? .failed : .ok
    }

    private func status(of step: String) -> Status {
        script.failing.map { $0.step == step ? $0.status : .ok } ?? .ok
    }
}
