import GreenroomTesting
import Testing

@testable import MyPlugin

/// The plugin in a session of the test's own, whose time passes only when the test advances it.
@Test func `the plugin works in a session`() throws {
    let session = try TestSession([
        TestPlugin(MyPlugin.self)
    ])
    session.advance(by: .seconds(1))
    // The effect of the plugin.
    #expect(try session.end().outcome == .finished)
}
