import GreenroomModel
import GreenroomSession
import Testing

@testable import GreenroomConfig
@testable import GreenroomLifecycle
@testable import GreenroomSchema

@Suite struct IsolationTests {
    private typealias Row = (
        session: String, plugin: String, standard: Isolation, isolation: Isolation,
        onFailure: FailurePolicy
    )

    @Test
    func `bundled plugins run in the host's process by default, others in their own`()
        throws
    {
        let rows: [Row] = [
            ("", "", .host, .host, .end),
            ("", "", .process, .process, .restart),
            ("", ", isolation: process", .host, .process, .restart),
            ("", ", isolation: host", .process, .host, .end),
            ("isolation: process", "", .host, .process, .restart),
            ("isolation: process", "", .process, .process, .restart),
            ("isolation: host", "", .host, .host, .end),
            ("isolation: host", "", .process, .host, .end),
            ("isolation: host", ", isolation: process", .host, .process, .restart),
            ("isolation: process", ", isolation: host", .process, .host, .end),
            ("", ", on-failure: off", .host, .host, .off),
            ("", ", on-failure: end", .process, .process, .end),
            ("", ", on-failure: restart", .process, .process, .restart),
            ("isolation: process", ", on-failure: restart", .host, .process, .restart),
        ]
        for row in rows {
            let file = try read(
                "session: { \(row.session) }\ncamera: { plugin: A\(row.plugin) }")
            let camera = try #require(file.configuration.slots[.camera]?.plugin)
            #expect(
                file.configuration.isolation(of: camera, standard: row.standard) == row.isolation,
                "\(row)")
            #expect(
                file.configuration.failurePolicy(
                    of: camera, standard: row.standard, isOutput: false)
                    == row.onFailure,
                "\(row)")
            #expect(
                file.configuration.conflicts(
                    of: camera, at: PluginAddress(.camera), standard: row.standard
                ).isEmpty, "\(row)")
        }
    }

    @Test func `a plugin's keys override the session's`() throws {
        let file = try read(
            """
            session: { isolation: process, sandbox: require, memory-limit: 64 MB }
            camera: { plugin: A, sandbox: off, memory-limit: 1.5 GB }
            microphone: { plugin: B }
            share: { plugin: C, sandbox: partial }
            """)
        #expect(
            file.configuration.process(
                of: try #require(file.configuration.slots[.share]?.plugin)
            ).sandbox == .partial)
        let (camera, microphone) = (
            try #require(file.configuration.slots[.camera]?.plugin),
            try #require(file.configuration.slots[.microphone]?.plugin)
        )
        #expect(file.configuration.process(of: camera).sandbox == .off)
        #expect(file.configuration.process(of: camera).memoryLimit.bytes == 1_500_000_000)
        #expect(file.configuration.process(of: microphone).sandbox == .require)
        #expect(file.configuration.process(of: microphone).memoryLimit.bytes == 64_000_000)
        let silent = try read("camera: { plugin: A }")
        #expect(
            silent.configuration.process(
                of: try #require(silent.configuration.slots[.camera]?.plugin)
            ).sandbox == .on)
        #expect(
            silent.configuration.process(
                of: try #require(silent.configuration.slots[.camera]?.plugin)
            ).memoryLimit.bytes == 256_000_000
        )
        #expect(silent.warnings.isEmpty && file.warnings.isEmpty)
    }

    @Test func `paths of grants are relative to the session file's folder`() throws {
        let file = try read(
            """
            camera:
              plugin: A
              allow:
                read: [pictures, ./fonts, /usr/share/x, ../b]
                write: [snapshots/today]
                devices: [/dev/video0, /dev/snd]
                network: true
              pre-processors: [{ plugin: B, allow: { network: false } }, { plugin: C, allow: }]
            """)
        let grants = try #require(file.configuration.slots[.camera]?.plugin.grants)
        #expect(
            grants.read == ["/sessions/pictures", "/sessions/fonts", "/usr/share/x", "/b"])
        #expect(grants.write == ["/sessions/snapshots/today"])
        #expect(grants.devices == ["/dev/video0", "/dev/snd"])
        #expect(grants.network)
        #expect(
            (file.configuration.slots[.camera]?.filters ?? []).map(\.grants) == [
                Grants(), Grants(),
            ])
    }

    @Test(
        arguments: [
            ("{ control: true }", true, []), ("{ control: false }", false, ["camera.allow"]),
            ("{ control: true, network: true }", true, ["camera.allow"]),
            ("{}", false, ["camera.allow"]),
        ] as [(String, Bool, [String])])
    func `the control grant needs no separate process, and every other grant does`(
        allow: String, control: Bool, faults: [String]
    ) throws {
        let file = try read("camera: { plugin: A, allow: \(allow) }")
        let camera = try #require(file.configuration.slots[.camera]?.plugin)
        #expect(camera.grants?.control == control)
        #expect(
            file.configuration.conflicts(of: camera, at: PluginAddress(.camera), standard: .host)
                .map(\.path) == faults)
        #expect(
            file.configuration.conflicts(of: camera, at: PluginAddress(.camera), standard: .process)
                .isEmpty)
    }

    @Test func `keys of a process are errors for a bundled plugin in the host's process`() throws {
        let file = try read(
            """
            session: { sandbox: require, memory-limit: 64 MB }
            camera:
              plugin: A
              sandbox: on
              memory-limit: 50 MB
              allow: { network: true }
              on-failure: restart
            microphone: { plugin: B, on-failure: off }
            """)
        let camera = try #require(file.configuration.slots[.camera]?.plugin)
        #expect(
            file.configuration.conflicts(
                of: camera, at: PluginAddress(.camera), standard: .process
            ).isEmpty)
        let faults = file.configuration.conflicts(
            of: camera, at: PluginAddress(.camera), standard: .host)
        #expect(
            faults.map(\.path) == [
                "camera.sandbox", "camera.memory-limit", "camera.allow", "camera.on-failure",
            ])
        #expect(faults.allSatisfy { $0.message.contains("Write isolation: process") })
        #expect(faults.last?.message.hasSuffix("or on-failure: off.") == true)
        // The session's keys apply to any plugins with processes.
        let microphone = try #require(file.configuration.slots[.microphone]?.plugin)
        #expect(
            file.configuration.conflicts(
                of: microphone, at: PluginAddress(.microphone), standard: .host
            ).isEmpty)
    }

    @Test(
        arguments: [
            (
                "session: { isolation: host, sandbox: on, memory-limit: 64 MB }\ncamera: { plugin: A }",
                ["session.sandbox", "session.memory-limit"]
            ),
            (
                "session: { isolation: host, sandbox: on }\ncamera: { plugin: A, isolation: process }",
                []
            ),
            ("session: { isolation: host }\ncamera: { plugin: A }", []),
            ("camera: { plugin: A, sandbox: off, allow: { network: true } }", ["camera.allow"]),
            (
                "session: { sandbox: off }\ncamera: { plugin: A, allow: { read: [x] } }\n"
                    + "microphone: { plugin: B, sandbox: on, allow: { read: [x] } }",
                ["camera.allow"]
            ),
        ] as [(String, [String])])
    func `a key without effect is a warning`(yaml: String, paths: [String]) throws {
        #expect(try read(yaml).warnings.map(\.place.path) == paths)
    }

    @Test func `arguments set the same isolation keys as the file`() throws {
        let yaml = "camera: { plugin: A, sandbox: off }"
        let file = try read(
            yaml,
            overrides: [
                .set("camera.memory-limit=50 MB"), .set("camera.sandbox=require"),
                .set("camera.allow.devices[0]=/dev/video0"), .set("camera.allow.network=true"),
                .set("session.isolation=process"), .set("camera.on-failure=off"),
            ])
        let camera = try #require(file.configuration.slots[.camera]?.plugin)
        #expect(file.configuration.isolation(of: camera, standard: .host) == .process)
        #expect(file.configuration.process(of: camera).sandbox == .require)
        #expect(file.configuration.process(of: camera).memoryLimit.bytes == 50_000_000)
        #expect(camera.grants?.devices == ["/dev/video0"])
        #expect(camera.grants?.network == true)
        #expect(
            file.configuration.failurePolicy(of: camera, standard: .host, isOutput: false) == .off)
        #expect(
            faults(yaml, overrides: [.set("session.isolation=host")]) == [
                "1:31: camera.sandbox: applies only to a plugin in a separate process, and "
                    + "session.isolation is host. Write isolation: process for the plugin, or "
                    + "remove this."
            ])
    }

    @Test(
        arguments: [
            ("256 MB", 256_000_000, "256 MB"), ("256MB", 256_000_000, "256 MB"),
            ("1.5 GB", 1_500_000_000, "1.5 GB"), ("1500 MB", 1_500_000_000, "1.5 GB"),
            ("1.025 GB", 1_025_000_000, "1.025 GB"), ("20.05 MB", 20_050_000, "20.05 MB"),
            ("64 GB", 64_000_000_000, "64 GB"), ("0 MB", 0, "0 MB"),
            ("999999.999 GB", 999_999_999_000_000, "999999.999 GB"),
        ] as [(String, Int, String)])
    func `memory sizes have decimal units`(
        text: String, bytes: Int, written: String
    ) {
        #expect(MemorySize(text) == MemorySize(bytes: bytes))
        #expect("\(MemorySize(bytes: bytes))" == written)
        #expect(text.wholeMatches(MemorySize.pattern))
    }

    @Test(arguments: [
        "", "256", "MB", "256 mb", "256 MiB", "256 KB", "1,5 GB", "1. GB", ".5 GB", "-1 MB",
        "+1 MB", "1e3 MB", "256  MB", "256 MB ", "1.0000 GB", "1000000 GB", "٢٥٦ MB",
        "99999999999999999999999999 GB",
    ])
    func `a text without a number and a decimal unit is not a memory size`(text: String) {
        #expect(MemorySize(text) == nil)
        #expect(!text.wholeMatches(MemorySize.pattern))
    }
}
