import Glibc
import GreenroomABI

/// Effects of frei0r: shared libraries with an interface of their own. The bundled library `libFrei0r.so`
/// describes each as a plugin.
package enum Frei0r {
    private static let bridgeFile = "libFrei0r.so"
    private static let openSymbol = "greenroom_frei0r_open"

    /// The folders of the specification, in the order in which they are searched.
    ///
    /// - Parameters:
    ///   - path: `FREI0R_PATH`, which replaces the others.
    ///   - home: `HOME`.
    package static func folders(path: String?, home: String?) -> [String] {
        if let path, !path.isEmpty { return path.split(separator: ":").map(String.init) }
        let own = home.flatMap { $0.hasPrefix("/") ? "\($0)/.frei0r-1/lib" : nil }
        return [own, "/usr/local/lib/frei0r-1", "/usr/lib/frei0r-1"].compactMap(\.self)
    }

    /// The name of an effect in session files: `frei0r-color-only` for `color_only.so`.
    package static func name(ofFile path: String) -> String {
        let file = path.split(separator: "/").last.map(String.init) ?? path
        let stem = file.hasSuffix(".so") ? String(file.dropLast(3)) : file
        return "frei0r-"
            + String(
                stem.utf8.map { byte in
                    DescriptorRules.isNameByte(byte) ? Character(UnicodeScalar(byte)) : "-"
                })
    }

    /// The id of the plugin with a name: `frei0r.color-only`.
    package static func id(ofName name: String) -> String {
        "frei0r." + name.dropFirst("frei0r-".count).lowercased()
    }

    /// Whether a plugin's name or id is an effect's.
    package static func isEffect(_ name: String) -> Bool {
        name.hasPrefix("frei0r-") || name.hasPrefix("frei0r.")
    }

    /// The library that describes effects; nil if it is not installed.
    ///
    /// - Parameter program: A program of the host. Its folder has the bundled plugins, or
    ///   `../lib/greenroom` from there.
    package static func bridge(beside program: String) -> String? {
        let folder = program.split(separator: "/").dropLast().map(String.init)
        return [folder, folder.dropLast() + ["lib", "greenroom"]].lazy
            .map { "/\(($0 + [bridgeFile]).joined(separator: "/"))" }
            .first { access($0, R_OK) == 0 }
    }

    /// Whether a loaded library is an effect.
    static func isEffect(_ handle: UnsafeMutableRawPointer) -> Bool {
        dlsym(handle, "f0r_get_plugin_info") != nil
    }

    /// Describes a loaded effect as a plugin.
    ///
    /// - Returns: The bridge's entry, the same for all effects, and the plugin's index in it.
    static func open(
        _ handle: UnsafeMutableRawPointer, path: String
    ) throws(LoadError) -> (entry: UnsafePointer<gr_entry>, index: UInt32) {
        guard let program = ownProgramFile, let bridge = bridge(beside: program),
            let library = dlopen(bridge, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE),
            let symbol = dlsym(library, openSymbol)
        else {
            throw LoadError(
                code: .missingLibrary, place: path,
                explanation: "it is an effect of frei0r, which needs Greenroom's \(bridgeFile) "
                    + "beside this program. Install all of Greenroom, or leave out isolation: host."
            )
        }
        let open = unsafeBitCast(symbol, to: OpenFunction.self)
        var index: UInt32 = 0
        var entry: UnsafePointer<gr_entry>?
        let text = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { buffer in
            buffer.initialize(repeating: 0)
            entry = open(handle, name(ofFile: path), &index, buffer.baseAddress, buffer.count)
                .map { UnsafePointer($0.assumingMemoryBound(to: gr_entry.self)) }
            return buffer.baseAddress.flatMap { String(pluginText: $0, longest: 511) } ?? ""
        }
        guard let entry else {
            throw LoadError(
                code: index == 0 ? .notAPlugin : .unknownKind, place: path,
                explanation: "\(text.isEmpty ? "it could not be read" : text).")
        }
        return (entry, index)
    }

    /// As `frei0rOpen` in the bridge. Without a plugin the index is 1 for an effect of a kind that
    /// Greenroom does not have, and else 0.
    private typealias OpenFunction =
        @convention(c) (
            _ handle: UnsafeMutableRawPointer?, _ name: UnsafePointer<CChar>?,
            _ index: UnsafeMutablePointer<UInt32>?, _ reason: UnsafeMutablePointer<CChar>?,
            _ capacity: Int
        ) -> UnsafeMutableRawPointer?
}
