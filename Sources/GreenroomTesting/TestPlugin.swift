import GreenroomABI
public import GreenroomMedia
import GreenroomLifecycle
import GreenroomModel
import GreenroomPluginInterface
public import GreenroomPlugin

/// A plugin and its settings, for a ``TestSession``.
public struct TestPlugin: Sendable {
    private let makeEntry: @Sendable () -> (entry: UnsafeRawPointer, index: UInt32)
    private let settings: [String: ParameterValue]

    /// Makes a description of a plugin in Swift.
    ///
    /// - Parameters:
    ///   - type: The plugin, in the test's own process.
    ///   - settings: Values by name; the other settings have their defaults.
    public init(_ type: any Plugin.Type, settings: [String: ParameterValue] = [:]) {
        makeEntry = { exportPlugins(adding: [type.export]) }
        self.settings = settings
    }

    /// Loads the plugin and checks its settings.
    func load() throws(TestSessionError) -> SourcePlan {
        let (entry, index) = makeEntry()
        let library: PluginLibrary
        do {
            library = try PluginLibrary(
                entry: entry.assumingMemoryBound(to: gr_entry.self), only: index..<(index + 1),
                path: "the test")
        } catch {
            throw TestSessionError("\(error)")
        }
        guard let descriptor = library.descriptors.first else {
            throw TestSessionError("the library has no plugin")
        }
        let checked = descriptor.check(
            settings: settings.map { ($0.key, $0.value) }, relativeTo: "/")
        if let problem = checked.problems.first {
            throw TestSessionError("\(descriptor.name).\(problem.name): \(problem.description)")
        }
        return SourcePlan(
            factory: library, descriptor: descriptor, settings: checked.settings,
            configuration: PluginConfiguration(descriptor.name, settings: settings),
            onFailure: descriptor.kind.takesMedia ? .off : .end)
    }
}

/// The reason why a ``TestSession`` does not start.
public struct TestSessionError: Error, CustomStringConvertible, Sendable {
    /// The fault and its fix.
    public let description: String

    init(_ description: String) { self.description = description }
}
