import GreenroomMedia
import GreenroomModel
import GreenroomOutputs
import GreenroomPluginInterface
import GreenroomSession
import Testing

@testable import GreenroomHost
@testable import GreenroomLifecycle

/// Rules for the settings of bundled plugins.
@Suite struct BundledPlanTests {
    /// A plugin that is never started.
    private struct Library: PluginFactory {
        let path = "/opt/lib.so"
        var arrivals: (any PeerListener)? { nil }

        func begin(_ descriptor: PluginDescriptor, in place: InstanceContext)
            -> any InstanceBackend
        { preconditionFailure("the plan is not run") }
    }

    /// The plan of a microphone and of outputs, each with the end of its id and with texts as settings.
    private static func plan(
        _ microphone: (id: String, settings: [String: String])?,
        _ outputs: [(id: String, settings: [String: String])], hasCall: Bool = false
    ) -> SessionPlan {
        func source(_ plugin: (id: String, settings: [String: String]), _ kind: PluginKind)
            -> SourcePlan
        {
            SourcePlan(
                factory: Library(),
                descriptor: PluginDescriptor(
                    kind: kind, id: "org.greenroom.\(plugin.id)", name: "It", version: "1.0.0",
                    summary: "", parameters: [], needs: []),
                settings: plugin.settings.map {
                    PluginSetting(name: $0, type: .string, value: .string($1))
                })
        }
        var configuration = SessionConfiguration()
        configuration.outputs = outputs.map {
            .plugin(PluginConfiguration($0.id))
        }
        if hasCall { configuration.outputs.append(.call(PluginConfiguration("call"))) }
        return SessionPlan(
            configuration,
            slots: microphone.map { [SessionSlot(.microphone, source($0, .virtualMic))] } ?? [],
            outputs: Dictionary(
                uniqueKeysWithValues: outputs.enumerated().map { ($0, source($1, .output)) }))
    }

    @Test
    func `a microphone that names the process of no output is an error that lists the outputs`() {
        let outputs = [
            (id: "command", settings: ["process": "bot"]), ("command", ["process": ""]),
        ]
        let problems = Self.plan(("command-microphone", ["process": "robot"]), outputs).nameProblems
        #expect(problems.map(\.path) == ["microphone.settings.process"])
        #expect(
            problems.first?.message
                == "no output Command has the process \"robot\". The session has \"bot\" (outputs[0]). "
                + "Correct the name.")
        #expect(
            Self.plan(("command-microphone", ["process": "bot"]), outputs).nameProblems.isEmpty)
        #expect(Self.plan(("command-microphone", ["process": ""]), outputs).nameProblems.isEmpty)
        #expect(
            Self.plan(("command-microphone", ["process": "robot"]), []).nameProblems.first?.message
                == "no output Command has the process \"robot\". Give one this process.")
    }

    @Test(
        arguments: [
            ("incoming", true, false), ("mix", true, false), ("mix", false, true),
            ("full-mix", true, true), ("microphone", true, true),
        ])
    func `a page may not hear the session's mix if its own voice is in it`(
        hears: String, hasCall: Bool, isRefused: Bool
    ) {
        // The page is a camera, which the plan has as an output here.
        let page = (id: "browser-camera", settings: ["name": "agent"])
        let ears = (id: "browser-ears", settings: ["name": "agent", "hears": hears])
        let plan = Self.plan(
            ("browser-microphone", ["name": "agent"]), [page, ears], hasCall: hasCall)
        #expect(
            plan.nameProblems.map(\.path) == (isRefused ? ["outputs[1].settings.hears"] : []))
        #expect(plan.nameProblems.allSatisfy { $0.message.contains("Write incoming") })
        let listener = Self.plan(("tone", [:]), [page, ears], hasCall: hasCall)
        #expect(listener.nameProblems.isEmpty)
    }

    @Test(
        arguments: [
            (["recorder": "/a/talk.mkv"], "/a/talk.report.json"),
            (["speaker-file": "/a.b/talk"], "/a.b/talk.report.json"),
            (["frame-folder": "/a/frames.d"], "/a/frames.d.report.json"),
            (["command": "/a/talk.mkv"], nil),
        ] as [([String: String], String?)])
    func `the report is beside the file of a bundled output`(
        output: [String: String], path: String?
    ) {
        let settings = ["recorder": "file", "speaker-file": "path", "frame-folder": "folder"]
        let outputs = output.map { id, path in
            (id: id, settings: [settings[id] ?? "command": path])
        }
        #expect(Self.plan(nil, outputs).pathOfReport == path)
    }
}
