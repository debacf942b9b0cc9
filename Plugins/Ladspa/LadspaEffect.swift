import Glibc
import PluginEffects
import GreenroomPlugin

/// A LADSPA effect, as it describes itself.
///
/// Safe to send: its descriptor is the library's, which stays loaded and never changes it.
struct LadspaEffect: @unchecked Sendable {
    /// The sample rate of the session.
    static let sampleRate: UInt = 48_000
    private static let portLimit: UInt = 256
    private static let effectLimit: UInt = 256

    let descriptor: UnsafePointer<LadspaDescriptor>
    let description: PluginDescription
    let parameters: [LadspaParameter]
    /// The ports of audio: one or two of each.
    let inputs: [UInt]
    let outputs: [UInt]
    /// The ports of control that the effect writes.
    let reports: [UInt]
    /// The control port with the effect's delay, in samples; nil if the effect reports none.
    let delay: UInt?

    /// The effects of a library that edit audio.
    ///
    /// - Parameter handle: From dlopen.
    static func all(in handle: UnsafeMutableRawPointer) throws(PluginError) -> [LadspaEffect] {
        guard let symbol = dlsym(handle, "ladspa_descriptor") else {
            throw PluginError("not a LADSPA effect: the library does not export ladspa_descriptor")
        }
        let descriptor = unsafeBitCast(symbol, to: LadspaDescriptor.Function.self)
        var effects: [LadspaEffect] = []
        var names: Set<String> = []
        for index in 0..<effectLimit {
            guard let found = descriptor(index) else { break }
            let typed = found.assumingMemoryBound(to: LadspaDescriptor.self)
            guard let effect = LadspaEffect(typed), names.insert(effect.description.name).inserted
            else {
                continue
            }
            effects.append(effect)
        }
        guard !effects.isEmpty else {
            throw PluginError(
                "no effect in the library has 1 or 2 audio inputs and 1 or 2 audio outputs, the "
                    + "only kind that Greenroom runs", status: .unsupported)
        }
        return effects
    }

    /// Nil for an effect that does not edit mono or stereo audio, or breaks a rule of the specification.
    private init?(_ descriptor: UnsafePointer<LadspaDescriptor>) {
        let effect = descriptor.pointee
        guard effect.instantiate != nil, effect.connect != nil, effect.run != nil,
            effect.cleanup != nil, effect.portCount <= Self.portLimit, let ports = effect.ports,
            let portNames = effect.portNames, let hints = effect.portHints
        else { return nil }
        func all(_ wanted: LadspaPort) -> [UInt] {
            (0..<effect.portCount).filter { LadspaPort(rawValue: ports[Int($0)]) == wanted }
        }
        inputs = all([.audio, .input])
        outputs = all([.audio, .output])
        reports = all([.control, .output])
        let controls = all([.control, .input])
        guard 1...2 ~= inputs.count, 1...2 ~= outputs.count,
            UInt(inputs.count + outputs.count + reports.count + controls.count)
                == effect.portCount
        else { return nil }
        delay = reports.first { port in
            let name = printable(portNames[Int(port)]).lowercased()
            return name == "latency" || name == "_latency"
        }
        parameters = controls.map { port in
            LadspaParameter(port, title: printable(portNames[Int(port)]), hints[Int(port)])
        }
        let label = String(
            printable(effect.label).utf8.map { byte in
                Self.isNameByte(byte) ? Character(UnicodeScalar(byte)) : "-"
            })
        guard !label.isEmpty else { return nil }
        let title = printable(effect.name)
        let maker = printable(effect.maker)
        self.descriptor = descriptor
        description = PluginDescription(
            id: "ladspa.\(label.lowercased())", name: "ladspa-\(label)", version: "1.0.0",
            summary: title.isEmpty ? label : title, vendor: maker.isEmpty ? nil : maker,
            needs: .process)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}

/// A parameter of an effect: a control port that the host writes.
struct LadspaParameter: Sendable {
    /// Describes how its value is written in session files.
    enum Form { case boolean, integer, number }

    let port: UInt
    let title: String
    let form: Form
    let bounds: ClosedRange<Double>?
    let defaultValue: Double

    init(_ port: UInt, title: String, _ hint: LadspaDescriptor.Hint) {
        let hints = LadspaHints(rawValue: hint.hints)
        self.port = port
        self.title = title
        form = hints.contains(.toggled) ? .boolean : hints.contains(.integer) ? .integer : .number
        let factor = hints.contains(.sampleRate) ? Double(LadspaEffect.sampleRate) : 1
        let lower = hints.contains(.boundedBelow) ? (Double(hint.lower) * factor).finite : nil
        let upper = hints.contains(.boundedAbove) ? (Double(hint.upper) * factor).finite : nil
        if let lower, let upper, lower <= upper {
            // The specification allows bounds slightly beyond the first and the last integer.
            let (first, last) =
                form == .integer ? (lower.rounded(.up), upper.rounded(.down)) : (lower, upper)
            bounds = first...max(first, last)
        } else {
            bounds = nil
        }
        let value = Self.defaultValue(hints, lower, upper)
        let rounded = form == .integer ? value.rounded() : value
        defaultValue = bounds.map { min(max(rounded, $0.lowerBound), $0.upperBound) } ?? rounded
    }

    /// The default, as the specification places it between the bounds.
    private static func defaultValue(
        _ hints: LadspaHints, _ lower: Double?, _ upper: Double?
    ) -> Double {
        func between(_ part: Double) -> Double {
            guard let lower, let upper else { return lower ?? upper ?? 0 }
            guard hints.contains(.logarithmic), lower > 0, upper > 0 else {
                return lower * (1 - part) + upper * part
            }
            return exp(log(lower) * (1 - part) + log(upper) * part)
        }
        return switch hints.defaultValue {
        case 0x40: lower ?? 0
        case 0x80: between(0.25)
        case 0xC0: between(0.5)
        case 0x100: between(0.75)
        case 0x140: upper ?? 0
        case 0x200: 0
        case 0x240: 1
        case 0x280: 100
        case 0x2C0: 440
        default: min(max(0, lower ?? 0), upper ?? .infinity)
        }
    }
}

extension Double {
    /// 0 instead of infinity and NaN.
    fileprivate var finite: Double { isFinite ? self : 0 }
}
