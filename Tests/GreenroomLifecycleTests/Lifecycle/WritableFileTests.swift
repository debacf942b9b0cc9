import Glibc
import GreenroomABI
import GreenroomMedia
import GreenroomModel
import GreenroomPluginInterface
import GreenroomRuntime
import TestSupport
import Testing

@testable import GreenroomLifecycle

/// The files that a plugin in a sandbox may name to hooks.
@Suite struct WritableFileTests {
    private func environment(writable: [String]?) -> InstanceEnvironment {
        InstanceEnvironment(
            number: 0, role: "outputs[0]",
            descriptor: PluginDescriptor(
                kind: .output, id: "x", name: "X", version: "1", summary: "x", vendor: nil,
                url: nil, parameters: []),
            videoIngest: nil, audioIngest: nil, pausedAudio: [], feed: nil, roster: nil,
            control: nil, clock: SessionClock(isVirtual: false, host: .real),
            events: SessionEvents { _ in }, writable: writable, ownFrameLimit: 0)
    }

    @Test func `a plugin may name only files that it may write to`() throws {
        let folder = try TemporaryFolder()
        for name in ["granted", "granted-too", "other"] { mkdir(folder(name), 0o700) }
        let inside = try folder.write("granted/a.mkv", "x")
        let other = try folder.write("other/a.mkv", "x")
        let similar = try folder.write("granted-too/a.mkv", "x")
        symlink(folder("other"), folder("granted/door"))
        let isolated = environment(writable: [folder("granted")])
        #expect(isolated.mayName(file: inside))
        for path in [
            other, similar, folder("granted/door/a.mkv"), folder("granted/../other/a.mkv"),
            folder("granted"), folder("granted/b.mkv"), "granted/a.mkv", "",
        ] {
            #expect(!isolated.mayName(file: path), "\(path)")
        }
        #expect(environment(writable: nil).mayName(file: other))
        #expect(!environment(writable: []).mayName(file: inside))
        #expect(environment(writable: [inside]).mayName(file: inside))
    }
}
