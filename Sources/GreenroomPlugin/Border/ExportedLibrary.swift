internal import GreenroomABI
internal import GreenroomMedia
internal import Synchronization

/// A list of plugins with the C tables made from it: the list that this library exports, or the list
/// of the plugins that are added one after another.
///
/// The tables are made once and never freed: the host reads them for as long as the process lives.
struct ExportedLibrary: @unchecked Sendable {
    // Safe to share: nothing changes after `init`, the memory behind the pointers included.
    let exports: [PluginExport]
    let descriptors: [UnsafePointer<gr_descriptor>]
    /// The declared capabilities of each plugin.
    let capabilities: [UnsafePointer<gr_video_capabilities>?]
    let entry: UnsafePointer<gr_entry>

    /// The exported list; nil before the first export.
    private static let exported = Mutex<ExportedLibrary?>(nil)
    /// The added plugins; nil before the first. Both lists may be in use: tests of a library add
    /// plugins beside it.
    private static let added = Mutex<ExportedLibrary?>(nil)

    static var current: ExportedLibrary? { exported.withLock { $0 } }

    private static var lastAdded: ExportedLibrary? { added.withLock { $0 } }

    static func export(_ exports: [PluginExport]) -> UnsafeRawPointer {
        let library = exported.withLock { exported in
            let library =
                exported
                ?? ExportedLibrary(
                    exports, descriptor: { ExportedLibrary.current?.descriptor($0) },
                    create: {
                        ExportedLibrary.current?.create($0, $1, $2) ?? Status.failed.rawValue
                    })
            exported = library
            return library
        }
        return UnsafeRawPointer(library.entry)
    }

    /// Appends plugins; the indices of the others stay.
    ///
    /// - Returns: The entry, and the first one's index in it.
    static func add(_ plugins: [PluginExport]) -> (entry: UnsafeRawPointer, index: UInt32) {
        added.withLock { added in
            let index = added?.exports.count ?? 0
            let library =
                added?.with(plugins)
                ?? ExportedLibrary(
                    plugins,
                    descriptor: { ExportedLibrary.lastAdded?.descriptor($0) },
                    create: {
                        ExportedLibrary.lastAdded?.create($0, $1, $2) ?? Status.failed.rawValue
                    })
            added = library
            return (UnsafeRawPointer(library.entry), UInt32(clamping: index))
        }
    }

    private func with(_ plugins: [PluginExport]) -> ExportedLibrary {
        ExportedLibrary(
            exports: exports + plugins,
            descriptors: descriptors + plugins.map { leaked(gr_descriptor($0)) },
            capabilities: capabilities
                + plugins.map { plugin in gr_video_capabilities(plugin).map { leaked($0) } },
            entry: entry)
    }

    private init(
        exports: [PluginExport], descriptors: [UnsafePointer<gr_descriptor>],
        capabilities: [UnsafePointer<gr_video_capabilities>?], entry: UnsafePointer<gr_entry>
    ) {
        self.exports = exports
        self.descriptors = descriptors
        self.capabilities = capabilities
        self.entry = entry
    }

    private init(
        _ exports: [PluginExport],
        descriptor: @convention(c) (UInt32) -> UnsafePointer<gr_descriptor>?,
        create:
            @convention(c) (
                UInt32, UnsafePointer<gr_create>, UnsafeMutablePointer<UnsafePointer<gr_plugin>?>
            ) -> gr_status
    ) {
        self.exports = exports
        descriptors = exports.map { leaked(gr_descriptor($0)) }
        capabilities = exports.map { gr_video_capabilities($0).map { leaked($0) } }
        entry = leaked(
            gr_entry(
                struct_size: UInt32(MemoryLayout<gr_entry>.size),
                abi_major: UInt16(GR_ABI_MAJOR), abi_minor: UInt16(GR_ABI_MINOR),
                plugin_count: UInt32(clamping: exports.count), reserved: 0,
                descriptor: descriptor, create: create))
    }

    private func descriptor(_ index: UInt32) -> UnsafePointer<gr_descriptor>? {
        descriptors.indices.contains(Int(index)) ? descriptors[Int(index)] : nil
    }

    private func create(
        _ index: UInt32, _ input: UnsafePointer<gr_create>,
        _ plugin: UnsafeMutablePointer<UnsafePointer<gr_plugin>?>
    ) -> gr_status {
        guard exports.indices.contains(Int(index)),
            input.pointee.struct_size >= MemoryLayout<gr_create>.size,
            input.pointee.settings != nil || input.pointee.setting_count == 0,
            let table = HostTable(input.pointee.host, instance: input.pointee.instance)
        else { return Status.badArgument.rawValue }
        return table.answering {
            let settings = try UnsafeBufferPointer(
                start: input.pointee.settings, count: Int(input.pointee.setting_count)
            ).map { try ($0.named, $0.value.checked(named: $0.named)) }
            let instance = try exports[Int(index)].make(settings, PluginHost(table: table))
            plugin.pointee = InstanceHandle.make(
                instance, exports[Int(index)], capabilities: capabilities[Int(index)], table)
        }
    }
}

extension HostTable {
    /// Runs a callback of the plugin: what it throws becomes a status, and a text for people.
    func answering(_ callback: () throws -> Void) -> gr_status {
        do {
            try callback()
            return Status.ok.rawValue
        } catch {
            let error = PluginError(describing: error)
            setError(error.text)
            // An error is never "fine", whatever status its author gave it.
            return error.status == .ok ? Status.failed.rawValue : error.status.rawValue
        }
    }
}

extension gr_setting {
    var named: String { String(cString: name) }
}

extension gr_value {
    /// The value, or an error where its type is unknown or it holds nothing.
    func checked(named name: String) throws(PluginError) -> SettingValue {
        switch SettingType(rawValue: type) {
        case .boolean: return .boolean(integer != 0)
        case .integer: return .integer(integer)
        case .number: return .number(number)
        case .string, .choice, .path:
            guard let string else {
                throw PluginError("setting '\(name)' has no text", status: .badSetting)
            }
            return .string(String(cString: string))
        case nil:
            throw PluginError("setting '\(name)' has the unknown type \(type)", status: .badSetting)
        }
    }
}
