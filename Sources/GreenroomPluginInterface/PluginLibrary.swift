import Glibc
package import GreenroomABI
package import GreenroomMedia
import GreenroomSystem
import SystemPackage

/// A loaded shared library with its checked descriptors.
///
/// A library is never unloaded: unloading an image that registered Swift metadata crashes the
/// process at its next cast. A new version of a library needs a new process.
package struct PluginLibrary: Sendable {
    /// The library's description.
    package let selfDescription: LibraryDescription
    package let entry: gr_entry
    /// The index of the library's first plugin in the entry. All effects of an interface share one
    /// entry.
    private let firstIndex: UInt32

    /// The file.
    package var path: String { selfDescription.path }
    /// The library's plugins, in the library's order.
    package var descriptors: [PluginDescriptor] { selfDescription.descriptors }

    /// Loads a library and checks its description. Runs the library's own code, which may take any
    /// time.
    ///
    /// - Parameter path: The file, absolute or relative to the working directory.
    /// - Throws: ``LoadError`` with file, rule and fix.
    package init(onThisThread path: String) throws(LoadError) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw LoadError(
                code: .notFound, place: path, explanation: "\(Errno.last).")
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw LoadError(
                code: .notAPlugin, place: path,
                explanation: status.st_mode & S_IFMT == S_IFDIR
                    ? "Is a directory. Name the shared library in it." : "not a regular file.")
        }
        let header = ELFHeader(of: path)
        if let machine = header?.otherMachine {
            throw LoadError(
                code: .notAPlugin, place: path,
                explanation: "built for \(machine), but this machine is "
                    + "\(ELFHeader.ownMachine). Build it for this machine.")
        }
        if let header, header.isReadable, header.end > UInt64(clamping: status.st_size) {
            throw LoadError(
                code: .notAPlugin, place: path,
                explanation: "truncated: \(status.st_size) of "
                    + "\(header.end) bytes. Copy or build it again.")
        }
        // dlopen searches a path without a slash in the system's library folders.
        let file = path.contains("/") ? path : "./\(path)"
        guard let handle = dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) else {
            throw Self.explain(String(cString: dlerror()), loading: path)
        }
        guard let symbol = dlsym(handle, GR_ENTRY_SYMBOL) else {
            if let interface = EffectInterface(ofLoaded: handle) {
                let effects = try interface.open(handle, path: path)
                try self.init(entry: effects.entry, only: effects.indices, path: path)
                return
            }
            throw .withoutEntry(path)
        }
        let entryFunction = unsafeBitCast(
            symbol, to: (@convention(c) () -> UnsafePointer<gr_entry>?).self)
        try self.init(entry: entryFunction(), path: path)
    }

    /// Checks the description in an entry.
    ///
    /// - Parameters:
    ///   - address: The result of the entry function, which must stay unchanged for the life of the
    ///     process.
    /// - indices: The indices of the plugins to read; nil for all.
    ///   - path: The file, for errors.
    /// - Throws: ``LoadError``.
    package init(
        entry address: UnsafePointer<gr_entry>?, only indices: Range<UInt32>? = nil, path: String
    ) throws(LoadError) {
        let reader = DescriptorReader(path: path)
        let entry = try reader.entry(at: address)
        var descriptors: [PluginDescriptor] = []
        for index in indices ?? 0..<entry.plugin_count {
            let descriptor = try reader.descriptor(index, of: entry)
            // The place in a session file determines the kind that a name means.
            for other in descriptors
            where other.id == descriptor.id
                || other.name == descriptor.name && other.kind == descriptor.kind
            {
                throw LoadError(
                    code: .badDescriptor, place: path,
                    explanation:
                        "two plugins have the id \(other.id), or are of one kind and have the name "
                        + "\(other.name). Give each its own.")
            }
            descriptors.append(descriptor)
        }
        self.entry = entry
        firstIndex = indices?.lowerBound ?? 0
        selfDescription = LibraryDescription(
            path: path, minorVersion: Int(entry.abi_minor), descriptors: descriptors)
    }

    /// Creates an instance.
    ///
    /// - Parameter handle: The instance's handle for calls of the host.
    /// - Returns: The instance's functions; nil if `create` did not return `ok`.
    /// - Throws: ``LoadError`` if the instance breaks a rule of the header.
    package func create(
        _ descriptor: PluginDescriptor, handle: UInt64, settings: [PluginSetting]
    ) throws(LoadError) -> (status: Status, functions: PluginFunctions?) {
        var plugin: UnsafePointer<gr_plugin>?
        let status = settings.withABI { settings in
            var input = gr_create(
                struct_size: UInt32(MemoryLayout<gr_create>.size),
                setting_count: UInt32(settings.count), instance: handle, host: HostInterface.host,
                settings: settings.baseAddress)
            let index = UInt32(descriptors.firstIndex { $0.id == descriptor.id } ?? 0)
            return Status(rawValue: entry.create(firstIndex + index, &input, &plugin))
        }
        guard status == .ok else { return (status, nil) }
        return (.ok, try PluginFunctions(checking: plugin, of: descriptor, path: path))
    }

    private static func explain(_ message: String, loading path: String) -> LoadError {
        // The message begins with the file that could not be opened: the plugin or a dependency
        // ("libfoo.so.1: cannot open shared object file: No such file or directory").
        let missing = message.prefix { $0 != ":" }
        if message.contains("cannot open shared object file"), !path.hasSuffix(missing) {
            let libraries = ELFLibrary(of: path)?.needed ?? []
            let cure =
                DebianPackage.installation(of: String(missing), among: libraries).map {
                    "Install it: \($0)"
                } ?? "`apt-file search \(missing)` names the package."
            return LoadError(
                code: .missingLibrary, place: path,
                explanation: "needs \(missing), which is not installed. \(cure)")
        }
        if message.contains("undefined symbol") {
            return LoadError(
                code: .unresolvedSymbol, place: path,
                explanation: "one of its libraries is missing or too old: \(message).")
        }
        let reason =
            message.hasPrefix("\(path): ") ? message.dropFirst(path.count + 2) : message[...]
        return LoadError(
            code: .notAPlugin, place: path,
            explanation: "not a shared library for this machine: \(reason). Build it here, "
                + "with -shared.")
    }
}
