import Glibc
import GreenroomPlugin

/// An instance of an effect: of one size, with its picture in the memory that the specification asks for.
final class Frei0rInstance {
    let effect: Frei0rEffect
    let size: FrameSize
    /// Rows of pixels without padding, from the top.
    let input: UnsafeMutablePointer<UInt8>
    let output: UnsafeMutablePointer<UInt8>
    private let instance: UnsafeMutableRawPointer
    private var values: [Frei0rParameter.Value]

    var strideBytes: Int { size.width * 4 }

    /// - Parameter size: With sides of multiples of 8.
    init(_ settings: Frei0rSettings, _ effect: Frei0rEffect, size: FrameSize) throws(PluginError) {
        guard
            let instance = effect.functions.construct(UInt32(size.width), UInt32(size.height))
        else {
            throw PluginError("f0r_construct failed at \(size)", status: .unavailable)
        }
        self.effect = effect
        self.size = size
        self.instance = instance
        values = effect.parameters.map(\.defaultValue)
        func pixels() -> UnsafeMutablePointer<UInt8> {
            let memory = UnsafeMutableRawPointer.allocate(
                byteCount: size.area * 4, alignment: 64)
            return memory.initializeMemory(as: UInt8.self, repeating: 0, count: size.area * 4)
        }
        input = pixels()
        output = pixels()
        apply(settings)
    }

    deinit {
        effect.functions.destruct(instance)
        input.deallocate()
        output.deallocate()
    }

    /// Sets the parameters that differ. A default is set only after it was changed.
    func apply(_ settings: Frei0rSettings) {
        for (index, parameter) in effect.parameters.enumerated()
        where values[index] != settings.values[index] {
            parameter.set(settings.values[index], in: instance, effect.functions)
            values[index] = settings.values[index]
        }
    }

    /// Runs the effect, into ``output``.
    ///
    /// - Parameter seconds: Since the first frame.
    func update(at seconds: Double) {
        effect.functions.update(
            instance, seconds, effect.isSource ? nil : UnsafeRawPointer(input),
            UnsafeMutableRawPointer(output))
    }
}

extension Frei0rSettings {
    /// The effect to start.
    ///
    /// - Throws: If it is known to fail and the session file does not insist.
    func started() throws(PluginError) -> Frei0rEffect {
        guard let effect else { throw PluginError("the settings name no effect") }
        if let fault = effect.record.fault, !startsAnyway {
            throw PluginError(
                "\(effect.name) \(fault); set start-anyway: true to start it anyway",
                status: .unsupported)
        }
        if let color = badColors.first {
            throw PluginError(
                "\(color.name): \"\(color.text)\" is not a colour; write #rrggbb",
                status: .badSetting)
        }
        return effect
    }

    /// Logs live colours that can't be read.
    func reportBadColors(to host: PluginHost) {
        for color in badColors {
            host.log(
                .warning,
                "\(color.name): \"\(color.text)\" is not a colour; write #rrggbb. The colour stays "
                    + "as it is.")
        }
    }
}
