import Glibc
import GreenroomABI

/// An interface of effects for many programs: shared libraries with different functions. A
/// bundled library, the bridge, describes the effects of a file as plugins.
package struct EffectInterface: Hashable, Sendable {
    /// The interface's name in messages.
    package let title: String
    /// The prefix of effects' names, before `-`, and of their ids, before `.`.
    package let prefix: String
    /// The Debian package with effects.
    package let debianPackage: String
    /// The environment variable with other folders.
    package let variable: String
    /// Whether an effect is named after its file.
    package let isNamedAfterFile: Bool
    private let bridgeFile: String
    private let openSymbol: String
    /// A function that only an effect's library exports.
    private let mark: String
    /// The folder below `HOME`. The host searches it before the folders of the machine.
    private let homeFolder: String
    private let machineFolders: [String]

    /// Video effects, one per file.
    package static let frei0r = EffectInterface(
        title: "frei0r", prefix: "frei0r", debianPackage: "frei0r-plugins", variable: "FREI0R_PATH",
        isNamedAfterFile: true, bridgeFile: "libFrei0r.so", openSymbol: "greenroom_frei0r_open",
        mark: "f0r_get_plugin_info", homeFolder: ".frei0r-1/lib",
        machineFolders: ["/usr/local/lib/frei0r-1", "/usr/lib/frei0r-1"])

    /// Audio effects, any number per file.
    package static let ladspa = EffectInterface(
        title: "LADSPA", prefix: "ladspa", debianPackage: "swh-plugins", variable: "LADSPA_PATH",
        isNamedAfterFile: false, bridgeFile: "libLadspa.so", openSymbol: "greenroom_ladspa_open",
        mark: "ladspa_descriptor", homeFolder: ".ladspa",
        machineFolders: ["/usr/local/lib/ladspa", "/usr/lib/ladspa"])

    /// All interfaces of effects that Greenroom knows.
    package static let all = [frei0r, ladspa]

    /// Returns the interface of an effect's plugin name or id; nil for other plugins.
    package init?(ofPlugin name: String) {
        guard
            let found = Self.all.first(where: {
                name.hasPrefix("\($0.prefix)-") || name.hasPrefix("\($0.prefix).")
            })
        else { return nil }
        self = found
    }

    private init(
        title: String, prefix: String, debianPackage: String, variable: String,
        isNamedAfterFile: Bool,
        bridgeFile: String, openSymbol: String, mark: String, homeFolder: String,
        machineFolders: [String]
    ) {
        self.title = title
        self.prefix = prefix
        self.debianPackage = debianPackage
        self.variable = variable
        self.isNamedAfterFile = isNamedAfterFile
        self.bridgeFile = bridgeFile
        self.openSymbol = openSymbol
        self.mark = mark
        self.homeFolder = homeFolder
        self.machineFolders = machineFolders
    }

    /// Returns the folders with the interface's effects, in search order.
    ///
    /// - Parameters:
    /// - path: The value of ``variable``, which replaces the default folders.
    /// - home: The value of `HOME`.
    package func folders(path: String?, home: String?) -> [String] {
        if let path, !path.isEmpty { return path.split(separator: ":").map(String.init) }
        let own = home.flatMap { $0.hasPrefix("/") ? "\($0)/\(homeFolder)" : nil }
        return [own].compactMap(\.self) + machineFolders
    }

    /// Returns the name of an effect in session files: `frei0r-color-only` for `color_only.so`.
    package func name(ofFile path: String) -> String {
        let file = path.split(separator: "/").last.map(String.init) ?? path
        let stem = file.hasSuffix(".so") ? String(file.dropLast(3)) : file
        return "\(prefix)-"
            + String(
                stem.utf8.map { byte in
                    DescriptorRules.isNameByte(byte) ? Character(UnicodeScalar(byte)) : "-"
                })
    }

    /// Files in the order of how much their names have of an effect's: `amp_1181.so` has `ladspa-amp`. The files
    /// of a folder stay before those of later ones, which they hide.
    package func nearestFirst(to effect: String, _ files: [String]) -> [String] {
        let wanted = effect.dropFirst(prefix.count + 1).lowercased()
        var folders: [Substring] = []
        let ranked = files.enumerated().map { index, file in
            let folder = file.prefix(upTo: file.lastIndex(of: "/") ?? file.startIndex)
            let place = folders.firstIndex(of: folder) ?? folders.count
            if place == folders.count { folders.append(folder) }
            let own = name(ofFile: file).dropFirst(prefix.count + 1).lowercased()
            let common = zip(own, wanted).prefix { $0 == $1 }.count
            return (file: file, rank: (place, -common, index))
        }
        return ranked.sorted { $0.rank < $1.rank }.map(\.file)
    }

    /// The id of the plugin with a name: `frei0r.color-only`.
    package func id(ofName name: String) -> String {
        "\(prefix)." + name.dropFirst(prefix.count + 1).lowercased()
    }

    /// Returns the library that describes the interface's effects; nil if it is not installed.
    ///
    /// - Parameter program: A program of the host. Its folder has the bundled plugins, or
    ///   `../lib/greenroom` from there.
    package func bridge(beside program: String) -> String? {
        let folder = program.split(separator: "/").dropLast().map(String.init)
        return [folder, folder.dropLast() + ["lib", "greenroom"]].lazy
            .map { "/\(($0 + [bridgeFile]).joined(separator: "/"))" }
            .first { access($0, R_OK) == 0 }
    }

    /// Loads the bridges of all interfaces into this process.
    package static func loadBridges() {
        guard let program = ownProgramFile else { return }
        for bridge in all.compactMap({ $0.bridge(beside: program) }) {
            _ = load(bridge: bridge)
        }
    }

    private static func load(bridge: String) -> UnsafeMutableRawPointer? {
        dlopen(bridge, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)
    }

    /// Returns the interface of a loaded library; nil for a library without effects.
    init?(ofLoaded handle: UnsafeMutableRawPointer) {
        guard let found = Self.all.first(where: { dlsym(handle, $0.mark) != nil }) else {
            return nil
        }
        self = found
    }

    /// Describes the effects of a loaded library as plugins.
    ///
    /// - Returns: The bridge's entry, the same for all effects, and the plugins' indices in it.
    func open(
        _ handle: UnsafeMutableRawPointer, path: String
    ) throws(LoadError) -> (entry: UnsafePointer<gr_entry>, indices: Range<UInt32>) {
        guard let program = ownProgramFile, let bridge = bridge(beside: program),
            let library = Self.load(bridge: bridge),
            let symbol = dlsym(library, openSymbol)
        else {
            throw LoadError(
                code: .missingLibrary, place: path,
                explanation: "an effect of \(title); it needs Greenroom's \(bridgeFile) "
                    + "beside this program. Install all of Greenroom, or leave out isolation: host."
            )
        }
        let open = unsafeBitCast(symbol, to: OpenFunction.self)
        var indices: (first: UInt32, count: UInt32) = (0, 0)
        var entry: UnsafePointer<gr_entry>?
        let text = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { buffer in
            buffer.initialize(repeating: 0)
            entry = withUnsafeMutablePointer(to: &indices) { indices in
                indices.withMemoryRebound(to: UInt32.self, capacity: 2) {
                    open(handle, name(ofFile: path), $0, buffer.baseAddress, buffer.count)
                }
            }.map { UnsafePointer($0.assumingMemoryBound(to: gr_entry.self)) }
            return buffer.baseAddress.flatMap { String(pluginText: $0, longest: 511) } ?? ""
        }
        guard let entry, indices.count > 0, indices.count < 1 << 16 else {
            throw LoadError(
                code: indices.first == 0 ? .notAPlugin : .unknownKind, place: path,
                explanation: "\(text.isEmpty ? "not readable" : text).")
        }
        let (end, overflow) = indices.first.addingReportingOverflow(indices.count)
        guard !overflow else {
            throw LoadError(
                code: .notAPlugin, place: path, explanation: "the bridge has too many plugins.")
        }
        return (entry, indices.first..<end)
    }

    /// As `frei0rOpen` in its bridge. The two numbers are the index of the file's first plugin and their
    /// count. Without a plugin the first one is 1 for effects of a kind that Greenroom does not have, and
    /// else 0.
    private typealias OpenFunction =
        @convention(c) (
            _ handle: UnsafeMutableRawPointer?, _ name: UnsafePointer<CChar>?,
            _ indices: UnsafeMutablePointer<UInt32>?, _ reason: UnsafeMutablePointer<CChar>?,
            _ capacity: Int
        ) -> UnsafeMutableRawPointer?
}
