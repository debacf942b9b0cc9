import GreenroomSystem

/// The last validation report of each plugin, by the library's path and the plugin's id.
package struct ReportCache: Sendable {
    private let folder: String

    /// Creates a cache in the folder that the environment names; nil if none.
    ///
    /// - Parameters:
    ///   - cacheHome: The value of `XDG_CACHE_HOME`.
    ///   - home: The value of `HOME`.
    package init?(cacheHome: String?, home: String?) {
        guard let plugins = ScanCache(cacheHome: cacheHome, home: home)?.folder,
            let slash = plugins.lastIndex(of: "/")
        else { return nil }
        folder = "\(plugins[..<slash])/reports"
    }

    /// Replaces the report of a plugin.
    ///
    /// - Parameters:
    ///   - path: The library's resolved path.
    ///   - plugin: The plugin's id.
    package func store(_ report: [UInt8], of plugin: String, at path: String) {
        guard CacheFolder.make(folder), let folder = CacheFolder(folder) else { return }
        folder.write(Self.name(plugin, path), report)
    }

    /// The last report of a plugin; nil if none is stored.
    package func report(of plugin: String, at path: String) -> [UInt8]? {
        CacheFolder(folder)?.read(Self.name(plugin, path))
    }

    private static func name(_ plugin: String, _ path: String) -> String {
        SHA256.hash(of: Array("\(path)\0\(plugin)".utf8)[...]).hexadecimal + ".json"
    }
}
