import Glibc
package import GreenroomMedia
import GreenroomIsolation
import GreenroomModel
import GreenroomPluginInterface
import GreenroomSystem
import SystemPackage

/// The files and environment variables that contain secret settings: `token-file` for the secret `token`.
package enum SecretFile {
    /// The end of a key that names a file.
    private static let suffix = "-file"
    /// The prefixes of a systemd credential and of an environment variable.
    private static let credential = "credential:"
    private static let environment = "environment:"
    /// The maximum length of a secret, in bytes.
    private static let longest = 4096

    /// The key that names the file of a secret.
    package static func key(of secret: String) -> String { secret + suffix }

    /// Checks settings against a descriptor, and reads the files of secrets.
    ///
    /// - Returns: The same as `PluginDescriptor.check(settings:relativeTo:)`.
    static func check(
        _ given: [String: ParameterValue], of descriptor: PluginDescriptor,
        relativeTo folder: String
    ) -> (settings: [PluginSetting], problems: [SettingError]) {
        var given = given
        var problems: [SettingError] = []
        let names = Set(descriptor.parameters.map(\.name))
        for parameter in descriptor.parameters where parameter.isSecret {
            let key = Self.key(of: parameter.name)
            guard !names.contains(key), let file = given.removeValue(forKey: key) else { continue }
            guard given[parameter.name] == nil else {
                problems.append(
                    SettingError(
                        name: key, description: "\(parameter.name) is set, too. Remove one of them."
                    ))
                continue
            }
            do throws(InvalidValueError) {
                guard case .string(let file) = file else {
                    throw InvalidValueError("needs a path.")
                }
                given[parameter.name] = .string(try read(file, relativeTo: folder))
            } catch {
                problems.append(SettingError(name: key, description: error.description))
                given[parameter.name] = .string("")
            }
        }
        let sorted = given.sorted { $0.key < $1.key }.map { (name: $0, value: $1) }
        let (settings, others) = descriptor.check(settings: sorted, relativeTo: folder)
        return (settings, problems + others)
    }

    /// The path of a file that contains a secret.
    ///
    /// - Parameter name: A path, or `credential:NAME` for a systemd credential.
    static func path(
        of name: String, relativeTo folder: String
    ) throws(InvalidValueError) -> String {
        guard name.hasPrefix(credential) else {
            guard !name.isEmpty else { throw InvalidValueError("the path is empty. Name a file.") }
            return absolutePath(name, from: folder)
        }
        let file = name.dropFirst(credential.count)
        guard !file.isEmpty, !file.contains("/"), file != "..", file != "." else {
            throw InvalidValueError("needs credential:NAME, with a name without slashes.")
        }
        guard let folder = environmentVariable("CREDENTIALS_DIRECTORY") else {
            throw InvalidValueError(
                "CREDENTIALS_DIRECTORY is not set, so credentials are missing. Run greenroom as a systemd "
                    + "service with LoadCredential=, or name a file.")
        }
        return "\(folder)/\(file)"
    }

    /// Reads a secret: the text of a file without the newline at its end, or of an environment variable.
    ///
    /// - Parameter name: A path, `credential:NAME`, or `environment:NAME`.
    /// - Throws: ``InvalidValueError`` with the fix, and without the text.
    package static func read(
        _ name: String, relativeTo folder: String,
        variable value: (String) -> String? = environmentVariable
    ) throws(InvalidValueError) -> String {
        if name.hasPrefix(environment) {
            let variable = String(name.dropFirst(environment.count))
            guard !ChildProcess.inherits(variable) else {
                throw InvalidValueError(
                    "plugins get the environment variable \(variable), too. Use another name, such as "
                        + "ROOM_TOKEN.")
            }
            guard let text = value(variable) else {
                throw InvalidValueError(
                    "the environment variable \(variable) is not set. Set it, or name a file.")
            }
            return try secret(text.utf8[...], from: "the environment variable \(variable)")
        }
        let path = try Self.path(of: name, relativeTo: folder)
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw InvalidValueError("cannot read \(path): \(Errno.last).") }
        defer { close(file) }
        var about = stat()
        guard fstat(file, &about) == 0, about.st_mode & S_IFMT == S_IFREG else {
            throw InvalidValueError("\(path) is not a file. Name a file.")
        }
        var bytes = [UInt8](repeating: 0, count: longest + 2)
        let count = Glibc.read(file, &bytes, bytes.count)
        guard count >= 0 else { throw InvalidValueError("cannot read \(path): \(Errno.last).") }
        var text = bytes[..<count]
        if text.last == UInt8(ascii: "\n") { text.removeLast() }
        if text.last == UInt8(ascii: "\r") { text.removeLast() }
        return try secret(text, from: path)
    }

    private static func secret(
        _ text: some Collection<UInt8>, from place: String
    ) throws(InvalidValueError) -> String {
        guard !text.isEmpty, text.count <= longest, text.allSatisfy({ (0x21...0x7e).contains($0) })
        else {
            throw InvalidValueError(
                "\(place) needs one line of 1 to \(longest) ASCII characters without spaces.")
        }
        return String(decoding: text, as: UTF8.self)
    }
}
