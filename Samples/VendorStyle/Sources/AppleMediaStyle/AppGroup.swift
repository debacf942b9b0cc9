/// The folder that an app and its extension share.
enum AppGroup {
    private static let lock = NSLock()
    nonisolated(unsafe) private static var path: String?

    /// The setting `group` of the library's plugins; nil without.
    static var folder: URL? {
        lock.withLock { path.map { URL(fileURLWithPath: $0, isDirectory: true) } }
    }

    /// Names the folder; empty for none.
    static func setFolder(_ folder: String) {
        guard !folder.isEmpty else { return }
        lock.withLock { path = folder }
    }
}

extension FileManager {
    /// The folder that an app and its extension share: the setting `group` of both plugins. nil without.
    public func containerURL(forSecurityApplicationGroupIdentifier identifier: String) -> URL? {
        if AppGroup.folder == nil {
            VendorHost.explain(
                "containerURL(forSecurityApplicationGroupIdentifier:)",
                "set `group` to the same folder for the app and its extension")
        }
        return AppGroup.folder
    }
}

/// Values that an app and its extension share: a property list in the folder of the setting `group`.
/// Without that setting the plugins of one library share them.
public final class UserDefaults: @unchecked Sendable {
    private static let lock = NSLock()
    nonisolated(unsafe) private static var suites: [String: [String: Any]] = [:]

    private let name: String

    /// The app's own values.
    public static let standard = UserDefaults(of: "standard")

    private init(of name: String) { self.name = name }

    /// Makes the values of a suite; nil without a name.
    public init?(suiteName: String?) {
        guard let suiteName, !suiteName.isEmpty else { return nil }
        // The name comes from the app, and is a file's.
        name = String(suiteName.map { $0.isLetter || $0.isNumber ? $0 : "-" })
    }

    /// Sets a value that a property list can have; nil removes it.
    public func set(_ value: Any?, forKey key: String) {
        Self.lock.withLock {
            var values = values
            values[key] = value
            guard let file else { return Self.suites[name] = values }
            do {
                let list = try PropertyListSerialization.data(
                    fromPropertyList: values, format: .xml, options: 0)
                try list.write(to: file, options: .atomic)
            } catch {
                VendorHost.log(.error, "UserDefaults: can't write \(file.path): \(error)")
            }
        }
    }

    /// A value; nil if it is not set.
    public func value(forKey key: String) -> Any? { object(forKey: key) }

    /// A value; nil if it is not set.
    public func object(forKey key: String) -> Any? { Self.lock.withLock { values[key] } }

    /// A value; false if it is not set.
    public func bool(forKey key: String) -> Bool { object(forKey: key) as? Bool ?? false }

    /// A value; nil if it is not set.
    public func string(forKey key: String) -> String? { object(forKey: key) as? String }

    private var file: URL? { AppGroup.folder?.appendingPathComponent("\(name).plist") }

    /// The values, read anew: another process may have written them.
    private var values: [String: Any] {
        guard let file else { return Self.suites[name] ?? [:] }
        guard let data = try? Data(contentsOf: file),
            let list = try? PropertyListSerialization.propertyList(from: data, format: nil)
        else { return [:] }
        return list as? [String: Any] ?? [:]
    }
}
