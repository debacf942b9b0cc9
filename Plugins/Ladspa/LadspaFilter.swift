import GreenroomPlugin

/// An effect of LADSPA.
///
/// An effect of one channel runs once for each channel. Samples are converted to floating point from -1 to 1,
/// and back.
final class LadspaFilter: AudioPreProcessor {
    static let plugin = PluginDescription(
        id: "ladspa.effect", name: "ladspa-effect", version: "1.0",
        summary: "An effect of LADSPA")

    private let effect: LadspaEffect
    private var settings: LadspaSettings
    private var instances: [LadspaInstance]
    /// The blocks to wait before the filter re-creates the effect.
    private var restartIn = 0
    let editing: AudioEditing

    init(settings: LadspaSettings, host: PluginHost) throws {
        guard let effect = settings.effect else { throw PluginError("the settings name no effect") }
        self.effect = effect
        self.settings = settings
        instances = try Self.instances(of: effect, settings)
        // Only a running effect reports its delay.
        for instance in instances { instance.run() }
        editing = AudioEditing(channels: 2, delayFrames: instances.first?.delayFrames ?? 0)
    }

    private static func instances(
        of effect: LadspaEffect, _ settings: LadspaSettings
    ) throws(PluginError) -> [LadspaInstance] {
        let isMono = effect.inputs.count == 1 && effect.outputs.count == 1
        var instances: [LadspaInstance] = []
        for _ in 0..<(isMono ? 2 : 1) {
            let instance = try LadspaInstance(effect)
            instance.apply(settings)
            instances.append(instance)
        }
        return instances
    }

    func onSettingsChange(_ settings: LadspaSettings) {
        self.settings = settings
        for instance in instances { instance.apply(settings) }
    }

    /// New instances: not all effects forget earlier audio when they are activated again.
    func onPreProcessStart() throws { instances = try Self.instances(of: effect, settings) }

    /// Blocks between two restarts: half a second.
    private static let restartDistance = 50

    /// An effect that has returned a value that is not finite may do so for ever, so the filter re-creates it.
    func onPreProcessRawData(_ block: inout MutableAudioBlock) throws {
        if restartIn > 0 { restartIn -= 1 }
        var samples = block.samples
        var isFinite = true
        for (number, instance) in instances.enumerated() {
            instance.process(samples.span, channel: instances.count == 2 ? number : nil)
            isFinite = isFinite && instance.isFinite
        }
        guard isFinite else {
            if restartIn == 0 {
                restartIn = Self.restartDistance
                instances = try Self.instances(of: effect, settings)
            }
            throw PluginError("the effect returned a value that is not finite, and restarts")
        }
        for (number, instance) in instances.enumerated() {
            instance.write(to: &samples, channel: instances.count == 2 ? number : nil)
        }
    }
}

/// An instance of an effect, with the memory of its ports.
final class LadspaInstance {
    private static let frames = AudioEditing.blockFrames

    private let effect: LadspaEffect
    private let instance: LadspaDescriptor.Instance
    private let inputs: [UnsafeMutablePointer<Float>]
    private let outputs: [UnsafeMutablePointer<Float>]
    /// The values of the parameters, then what the effect reports.
    private let controls: UnsafeMutablePointer<Float>

    init(_ effect: LadspaEffect) throws(PluginError) {
        let descriptor = effect.descriptor.pointee
        guard let instantiate = descriptor.instantiate, let connect = descriptor.connect,
            let instance = instantiate(UnsafeRawPointer(effect.descriptor), LadspaEffect.sampleRate)
        else { throw PluginError("the effect can't start", status: .unavailable) }
        self.effect = effect
        self.instance = instance
        func samples(_ count: Int) -> UnsafeMutablePointer<Float> {
            let memory = UnsafeMutablePointer<Float>.allocate(capacity: count)
            memory.initialize(repeating: 0, count: count)
            return memory
        }
        inputs = effect.inputs.map { _ in samples(Self.frames) }
        outputs = effect.outputs.map { _ in samples(Self.frames) }
        controls = samples(max(effect.parameters.count + effect.reports.count, 1))
        for (index, parameter) in effect.parameters.enumerated() {
            controls[index] = Float(parameter.defaultValue)
            connect(instance, parameter.port, controls + index)
        }
        for (index, port) in effect.reports.enumerated() {
            connect(instance, port, controls + effect.parameters.count + index)
        }
        for (port, memory) in zip(effect.inputs, inputs) { connect(instance, port, memory) }
        for (port, memory) in zip(effect.outputs, outputs) { connect(instance, port, memory) }
        descriptor.activate?(instance)
    }

    deinit {
        effect.descriptor.pointee.deactivate?(instance)
        effect.descriptor.pointee.cleanup?(instance)
        for memory in inputs + outputs { memory.deallocate() }
        controls.deallocate()
    }

    func apply(_ settings: LadspaSettings) {
        for (index, value) in settings.values.enumerated() where index < effect.parameters.count {
            controls[index] = Float(value)
        }
    }

    func run() { effect.descriptor.pointee.run?(instance, UInt(Self.frames)) }

    /// The delay that the effect has reported, in samples.
    var delayFrames: Int {
        guard let port = effect.delay, let index = effect.reports.firstIndex(of: port) else {
            return 0
        }
        let delay = controls[effect.parameters.count + index]
        guard delay.isFinite else { return 0 }
        return Int(min(max(delay.rounded(), 0), Float(AudioEditing.longestDelayFrames)))
    }

    /// Runs with stereo samples.
    ///
    /// - Parameter channel: The one to edit; nil for both.
    func process(_ samples: Span<Int16>, channel: Int?) {
        for frame in 0..<Self.frames {
            let (left, right) = (Float(samples[frame * 2]), Float(samples[frame * 2 + 1]))
            if let channel {
                inputs[0][frame] = (channel == 0 ? left : right) / 32_768
            } else if inputs.count == 1 {
                inputs[0][frame] = (left + right) / 65_536
            } else {
                inputs[0][frame] = left / 32_768
                inputs[1][frame] = right / 32_768
            }
        }
        run()
    }

    /// Whether all samples of the last run are finite.
    var isFinite: Bool {
        outputs.allSatisfy { output in (0..<Self.frames).allSatisfy { output[$0].isFinite } }
    }

    /// Writes the result of the last run.
    func write(to samples: inout MutableSpan<Int16>, channel: Int?) {
        for frame in 0..<Self.frames {
            if let channel {
                samples[frame * 2 + channel] = Self.sample(outputs[0][frame])
            } else {
                samples[frame * 2] = Self.sample(outputs[0][frame])
                samples[frame * 2 + 1] = Self.sample(outputs[outputs.count - 1][frame])
            }
        }
    }

    private static func sample(_ value: Float) -> Int16 {
        Int16(min(max((value * 32_768).rounded(), -32_768), 32_767))
    }
}
