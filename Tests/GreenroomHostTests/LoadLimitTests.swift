import GreenroomModel
import GreenroomPluginInterface
import GreenroomSession
import Synchronization
import Testing

@testable import GreenroomHost

/// The time in which a plugin's library must load.
@Suite struct LoadLimitTests {
    @Test(
        arguments: [
            // session, plugin, limit
            (nil, nil, 5), (2, nil, 5), (30, nil, 30), (nil, 60, 60), (30, 1, 5), (1, 30, 30),
        ] as [(Int?, Int?, Int64)])
    func `a library may load for 5 s, or for its plugin's callback-deadline if that is longer`(
        session: Int?, plugin: Int?, limit: Int64
    ) throws {
        var source = PluginConfiguration("/plugins/libSlow.so")
        source.callbackDeadline = plugin.map { .seconds($0) }
        var configuration = SessionConfiguration()
        configuration.callbackDeadline = session.map { .seconds($0) }
        // A kernel without the sandbox loads no other library.
        source.sandbox = .partial
        configuration.slots = [SessionSlot(.camera, source)]
        let limits = Mutex<[Int64]>([])
        let locator = PluginLocator(programs: "/opt/bin", pluginFolders: []) {
            path, limit throws(LoadError) in
            limits.withLock { $0.append(limit) }
            throw LoadError(code: .hangs, place: path, explanation: "")
        }
        #expect(throws: ConfigurationError.self) {
            try SessionPlan(configuration, locator: locator)
        }
        #expect(limits.withLock { $0 } == [limit * 1_000_000_000])
    }
}
