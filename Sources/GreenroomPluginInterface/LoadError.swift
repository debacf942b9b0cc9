/// Why a file was not loaded as a plugin library, or a plugin was not made.
package struct LoadError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong, as programs tell it apart.
    package enum Code: String, Sendable {
        /// There is no such file, or it can't be read.
        case notFound = "not-found"
        /// The file is no shared library, or exports no entry.
        case notAPlugin = "not-a-plugin"
        /// A library that it needs is not installed.
        case missingLibrary = "missing-library"
        /// It needs something by name that no library of its has.
        case unresolvedSymbol = "unresolved-symbol"
        /// It was made for another major version of the interface.
        case wrongMajor = "wrong-major"
        /// The entry breaks a rule of the header.
        case badEntry = "bad-entry"
        /// A descriptor breaks a rule of the header.
        case badDescriptor = "bad-descriptor"
        /// The kind of a plugin is not one of this version.
        case unknownKind = "unknown-kind"
        /// Its own code does not come back while it is loaded.
        case hangs
        /// The library has no plugin of that name.
        case noSuchPlugin = "no-such-plugin"
        /// Its own code ended the process that it was loaded in.
        case crashes
        /// There is no process to load it in.
        case noRunner = "no-runner"
        /// The socket that it is to come over can't be made.
        case noSocket = "no-socket"
        /// The plugin refused to be made, or made something that breaks a rule.
        case badInstance = "bad-instance"
    }

    /// What went wrong.
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

    /// A plugin is gone that was there when the library was looked into.
    package static func changed(_ descriptor: PluginDescriptor, _ path: String) -> LoadError {
        LoadError(
            code: .noSuchPlugin, place: path,
            explanation: "\(descriptor.name) is not in it any more: the file has changed.")
    }
}
