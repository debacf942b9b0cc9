import PluginEffects
import GreenroomPlugin

/// An effect of frei0r, as it describes itself.
struct Frei0rEffect: Sendable {
    /// The name in session files.
    let name: String
    let functions: Frei0rFunctions
    let isSource: Bool
    /// Whether pixels are `B G R A`, else `R G B A`.
    let isBlueFirst: Bool
    let parameters: [Frei0rParameter]
    let record: EffectRecord
    let description: PluginDescription

    /// Limits of the specification.
    static let sizeStep = 8
    static let largestSide = 2048
    private static let parameterLimit: Int32 = 100

    init(_ functions: Frei0rFunctions, name: String) throws(PluginError) {
        guard functions.initialize() != 0 else {
            throw PluginError("f0r_init failed", status: .unavailable)
        }
        var info = Frei0rFunctions.PluginInfo()
        withUnsafeMutablePointer(to: &info) {
            functions.getPluginInfo(UnsafeMutableRawPointer($0))
        }
        guard info.interface == 1 else {
            throw PluginError("built for frei0r \(info.interface), but Greenroom supports frei0r 1")
        }
        switch info.type {
        case 0, 1: isSource = info.type == 1
        case 2, 3:
            throw PluginError(
                "a mixer of pictures; Greenroom does not support mixers",
                status: .unsupported)
        default: throw PluginError("unknown type \(info.type)")
        }
        guard 0...2 ~= info.colorModel else {
            throw PluginError("unknown colour model \(info.colorModel)")
        }
        guard 0...Self.parameterLimit ~= info.parameterCount else {
            throw PluginError(
                "\(info.parameterCount) parameters; the limit is \(Self.parameterLimit)")
        }
        self.name = name
        self.functions = functions
        isBlueFirst = info.colorModel != 1
        record = EffectRecord(String(name.dropFirst("frei0r-".count)))

        // frei0r reports default values only for an instance.
        guard let instance = functions.construct(64, 64) else {
            throw PluginError("f0r_construct failed", status: .unavailable)
        }
        defer { functions.destruct(instance) }
        parameters = (0..<info.parameterCount).compactMap {
            Frei0rParameter($0, of: instance, functions)
        }

        let title = printable(info.name)
        let explanation = printable(info.explanation)
        let summary = [title, explanation].filter { !$0.isEmpty }.joined(separator: ": ")
        let author = printable(info.author)
        description = PluginDescription(
            id: name.lowercased().replacing("frei0r-", with: "frei0r.", maxReplacements: 1),
            name: name, version: "\(info.majorVersion).\(info.minorVersion).0",
            summary: (summary.isEmpty ? name : summary) + record.note,
            vendor: author.isEmpty ? nil : author, needs: .process)
    }

    /// The smallest size that the effect can have and a frame fits in.
    static func size(for frame: FrameSize) throws(PluginError) -> FrameSize {
        func rounded(_ side: Int) -> Int { (side + sizeStep - 1) / sizeStep * sizeStep }
        let size = FrameSize(width: rounded(frame.width), height: rounded(frame.height))
        guard size.width <= largestSide, size.height <= largestSide else {
            throw PluginError(
                "effects of frei0r take up to \(largestSide) pixels a side, and the frame has "
                    + "\(frame); lower the session's maximum",
                status: .unsupported)
        }
        return size
    }
}

extension EffectRecord {
    /// The end of the summary.
    fileprivate var note: String {
        if let fault { return " [known to fail: \(fault)]" }
        return switch output {
        case .deterministic: " [deterministic]"
        case .random: " [not deterministic]"
        case .unknown: ""
        }
    }
}
