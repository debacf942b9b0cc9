/// `LADSPA_Descriptor`, as the specification lays it out in memory.
struct LadspaDescriptor {
    typealias Instance = UnsafeMutableRawPointer

    var uniqueID: UInt
    var label: UnsafePointer<CChar>?
    var properties: Int32
    var name: UnsafePointer<CChar>?
    var maker: UnsafePointer<CChar>?
    var copyright: UnsafePointer<CChar>?
    var portCount: UInt
    var ports: UnsafePointer<Int32>?
    var portNames: UnsafePointer<UnsafePointer<CChar>?>?
    var portHints: UnsafePointer<Hint>?
    var implementation: UnsafeMutableRawPointer?
    var instantiate: (@convention(c) (UnsafeRawPointer, UInt) -> Instance?)?
    var connect: (@convention(c) (Instance, UInt, UnsafeMutablePointer<Float>?) -> Void)?
    var activate: (@convention(c) (Instance) -> Void)?
    var run: (@convention(c) (Instance, UInt) -> Void)?
    var runAdding: (@convention(c) (Instance, UInt) -> Void)?
    var setRunAddingGain: (@convention(c) (Instance, Float) -> Void)?
    var deactivate: (@convention(c) (Instance) -> Void)?
    var cleanup: (@convention(c) (Instance) -> Void)?

    /// `LADSPA_PortRangeHint`.
    struct Hint {
        var hints: Int32 = 0
        var lower: Float = 0
        var upper: Float = 0
    }

    /// The function that a library exports: the descriptor of an index, or NULL after the last one.
    typealias Function = @convention(c) (UInt) -> UnsafeRawPointer?
}

/// `LADSPA_PortDescriptor`.
struct LadspaPort: OptionSet {
    let rawValue: Int32
    static let input = LadspaPort(rawValue: 1)
    static let output = LadspaPort(rawValue: 2)
    static let control = LadspaPort(rawValue: 4)
    static let audio = LadspaPort(rawValue: 8)
}

/// `LADSPA_PortRangeHintDescriptor`.
struct LadspaHints: OptionSet {
    let rawValue: Int32
    static let boundedBelow = LadspaHints(rawValue: 0x1)
    static let boundedAbove = LadspaHints(rawValue: 0x2)
    static let toggled = LadspaHints(rawValue: 0x4)
    /// Bounds are multiples of the sample rate.
    static let sampleRate = LadspaHints(rawValue: 0x8)
    static let logarithmic = LadspaHints(rawValue: 0x10)
    static let integer = LadspaHints(rawValue: 0x20)

    /// The kind of default: one of ten values.
    var defaultValue: Int32 { rawValue & 0x3C0 }
}
