import GreenroomABI

/// Why a library or a plugin could not be loaded.
package struct LoadError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of error, for programs.
    package enum Code: String, Sendable {
        /// The file does not exist or can't be read.
        case notFound = "not-found"
        /// The file is no shared library, or exports no entry.
        case notAPlugin = "not-a-plugin"
        /// A library that it depends on is not installed.
        case missingLibrary = "missing-library"
        /// No library has a symbol that it needs.
        case unresolvedSymbol = "unresolved-symbol"
        /// It was built for another major version of the interface.
        case wrongMajor = "wrong-major"
        /// The entry breaks a rule of the header.
        case badEntry = "bad-entry"
        /// A descriptor breaks a rule of the header.
        case badDescriptor = "bad-descriptor"
        /// This version does not know the plugin's kind.
        case unknownKind = "unknown-kind"
        /// Its code does not return while it is loaded.
        case hangs
        /// The library has no plugin with this name.
        case noSuchPlugin = "no-such-plugin"
        /// Several libraries have a plugin with this name.
        case ambiguous
        /// Its code ended the loading process.
        case crashes
        /// No process or thread could be started to load it.
        case noRunner = "no-runner"
        /// It is not bundled, and this machine can't keep it to its grants.
        case notConfined = "not-confined"
        /// The socket for broadcasts could not be created at its path.
        case noSocket = "no-socket"
        /// Another process has the socket for broadcasts.
        case socketInUse = "socket-in-use"
        /// `create` failed, or created an instance that breaks a rule.
        case badInstance = "bad-instance"
    }

    /// The kind of error.
    package var code: Code
    /// The file or name.
    package var place: String
    /// The rule and the cure.
    package var explanation: String

    package init(code: Code, place: String, explanation: String) {
        self.code = code
        self.place = place
        self.explanation = explanation
    }

    /// The place, then the explanation.
    package var description: String { "\(place): \(explanation)" }

    /// A library that exports no entry.
    package static func withoutEntry(_ path: String) -> LoadError {
        LoadError(
            code: .notAPlugin, place: path,
            explanation: "a shared library, but not a plugin: it does not export "
                + "\(GR_ENTRY_SYMBOL). Export it, with GR_EXPORT in C or @c in Swift.")
    }

    /// A plugin that the scan found is missing now.
    package static func changed(_ descriptor: PluginDescriptor, _ path: String) -> LoadError {
        LoadError(
            code: .noSuchPlugin, place: path,
            explanation: "\(descriptor.name) is gone from the library: the file has changed.")
    }
}
