import Glibc
import GreenroomLifecycle
import GreenroomMedia
import GreenroomModel
import GreenroomPluginInterface
import TestSupport
import Testing

@testable import GreenroomSession

/// The values that live settings may name.
@Suite struct NamedResourcesTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        for name in ["granted", "granted/inner", "named"] {
            try #require(mkdir(folder(name), 0o755) == 0)
        }
        for name in ["granted/inner/a", "named/b", "secret", "granted2"] {
            try folder.write(name, "x")
        }
        try #require(symlink(folder("secret"), folder("granted/link")) == 0)
    }

    private func allows(
        _ text: String, type: Parameter.ValueType, network: Bool = false
    ) -> Bool {
        NamedResources(
            named: [.string(folder("named")), .string("https://example.com/a")],
            grants: Grants(read: [folder("granted")], network: network)
        ).contain(PluginSetting(name: "x", type: type, value: .string(text)))
    }

    @Test func `a live setting accepts only paths that the session file names or grants`() {
        for name in ["named", "named/b", "granted", "granted/inner/a", "named/../granted/inner/a"] {
            #expect(allows(folder(name), type: .path), "\(name)")
        }
        for name in ["secret", "granted/link", "granted/../secret", "granted2", "missing", ""] {
            #expect(!allows(folder(name), type: .path), "\(name)")
        }
        #expect(allows("", type: .path))
    }

    @Test func `a live setting accepts only addresses that are named or granted`() {
        #expect(allows("https://example.com/a", type: .string))
        #expect(allows("", type: .string))
        for text in [
            "https://example.com/b", "https://other.example", "rtsp://camera", "udp://0.0.0.0:1",
        ] {
            #expect(!allows(text, type: .string), "\(text)")
            #expect(allows(text, type: .string, network: true), "\(text)")
        }
        for text in [
            "file://\(folder("secret"))", "FILE:///etc/passwd", "data:,x", "concat:/etc/passwd",
            folder("secret"), "/dev/video0", "subfile,,:/etc/passwd", "cat /etc/passwd",
            "lavfi:movie=/etc/passwd", "view-source:file:///etc/passwd", "chrome://version",
        ] {
            #expect(!allows(text, type: .string, network: true), "\(text)")
        }
    }

    @Test func `only the session file can change a live setting to a new file`() throws {
        var session = try InProcessSession(
            camera: FakeSource().plan(.videoSource), milliseconds: 100)
        var camera = session.plan.slots[0].plugin
        camera.descriptor.parameters = [
            Parameter(
                name: "page", title: "Page", type: .path, unit: nil, defaultValue: "", bounds: nil,
                choices: [], isLive: true),
            Parameter(
                name: "url", title: "URL", type: .string, unit: nil, defaultValue: "", bounds: nil,
                choices: [], isLive: true, isResource: true),
            Parameter(
                name: "text", title: "Text", type: .string, unit: nil, defaultValue: "",
                bounds: nil, choices: [], isLive: true),
        ]
        camera.settings = [
            PluginSetting(name: "page", type: .path, value: .string(folder("named/b"))),
            PluginSetting(name: "url", type: .string, value: "https://a.example"),
            PluginSetting(name: "text", type: .string, value: ""),
        ]
        session.plan.slots[0].plugin = camera
        let address = PluginAddress(.camera)
        session.plan.configuration.timeline = [
            TimelineEntry(
                time: .zero, command: .set(address, name: "url", value: "https://b.example"))
        ]
        let plan = session.plan
        func isLegal(_ name: String, _ value: String, isFromFile: Bool = false) -> Bool {
            let command = SessionCommand.set(address, name: name, value: .string(value))
            return (try? plan.check(command, isFromFile: isFromFile)) != nil
        }
        for (name, value) in [
            ("page", folder("secret")), ("url", "file:///etc/passwd"), ("url", "https://c.example"),
        ] {
            #expect(!isLegal(name, value), "\(value)")
            #expect(isLegal(name, value, isFromFile: true), "\(value)")
        }
        for (name, value) in [
            ("page", folder("named/b")), ("url", "https://a.example"), ("url", "https://b.example"),
            ("text", "file:///etc/passwd"),
        ] {
            #expect(isLegal(name, value), "\(value)")
        }
    }
}
