import GreenroomABI

/// The reason why a library or a plugin could not be loaded.
package struct LoadError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of error, for programs.
    package enum Code: String, Sendable {
        /// The file does not exist or cannot be read.
        case notFound = "not-found"
        /// The file is not a shared library, or exports no entry.
        case notAPlugin = "not-a-plugin"
        /// A dependency of the library is not installed.
        case missingLibrary = "missing-library"
        /// No library defines a symbol that the library needs.
        case unresolvedSymbol = "unresolved-symbol"
        /// The library was built for another major version of the interface.
        case wrongMajor = "wrong-major"
        /// The entry breaks a rule of the header.
        case badEntry = "bad-entry"
        /// A descriptor breaks a rule of the header.
        case badDescriptor = "bad-descriptor"
        /// This version does not know the plugin's kind.
        case unknownKind = "unknown-kind"
        /// The library's code does not return while it is loaded.
        case hangs
        /// The library has no plugin with this name.
        case noSuchPlugin = "no-such-plugin"
        /// Several libraries have a plugin with this name.
        case ambiguous
        /// The library's code ended the loading process.
        case crashes
        /// No process or thread could be started to load the library.
        case noRunner = "no-runner"
        /// The plugin is not bundled, and this machine cannot enforce its grants.
        case notConfined = "not-confined"
        /// A script has no interpreter that can run it.
        case noInterpreter
        /// The socket for programs could not be created at its path.
        case noSocket = "no-socket"
        /// Another process uses the socket for programs.
        case socketInUse = "socket-in-use"
        /// `create` failed, or created an instance that breaks a rule.
        case badInstance = "bad-instance"
    }

    /// The kind of error.
    package var code: Code
    /// The file or name.
    package var place: String
    /// The broken rule and the fix.
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

    /// The error for a plugin that the scan found and that is missing now.
    package static func changed(_ descriptor: PluginDescriptor, _ path: String) -> LoadError {
        LoadError(
            code: .noSuchPlugin, place: path,
            explanation: "\(descriptor.name) is gone from the library: the file has changed.")
    }
}
