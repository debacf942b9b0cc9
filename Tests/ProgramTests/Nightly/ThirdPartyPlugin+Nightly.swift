import Foundation
import SessionTestSupport
import TestSupport
import Testing

extension ThirdPartyPluginTests {
    @Test(arguments: thirdPartyPlugins)
    func `the host reports each third-party plugin's behaviour in one line`(
        plugin: ThirdPartyPlugin
    ) throws {
        let folder = try TemporaryFolder()
        let session = try folder.write(
            "session.yaml",
            """
            session:
              maximum: 1280x720@30
              duration: \(plugin.seconds)s
              clock: \(plugin.isPaced ? "virtual" : "real")
            \(plugin.role): {plugin: "\(build(plugin))"}
            \(plugin.timeline.isEmpty ? "" : "timeline: \(plugin.timeline)")
            outputs: [{record: {folder: out}}]
            """)
        let run = try Greenroom.start(["run", session]).wait()
        #expect(run.exit == .code(plugin.exit), "\(run)")
        let lines = run.standardError.split(separator: "\n").filter { line in
            line.hasPrefix("\(plugin.role): ") && !line.contains("as suggested")
        }
        if let text = plugin.hostSays {
            #expect(lines.contains { $0.contains(text) }, "\(run)")
        } else {
            #expect(lines.allSatisfy { $0.contains("ended: the file is over") }, "\(run)")
        }
        guard plugin.role != "microphone" else { return }
        let recording = try Y4MRecording(folder("out/\(plugin.role).y4m"))
        #expect(recording.frameCount == 30 * plugin.seconds)
    }

    @Test(arguments: thirdPartyPlugins)
    func `the validator reports exactly the faults of each third-party plugin`(
        plugin: ThirdPartyPlugin
    ) throws {
        let checks = plugin.faults + plugin.passes
        let lines = try Greenroom.validate(
            build(plugin), ["--only", checks.joined(separator: ",")]
        ).checks
        #expect(Set(lines.map(\.check)) == Set(checks))
        for line in lines {
            #expect(line.isFault == plugin.faults.contains(line.check), "\(line)")
        }
        guard let first = plugin.faults.first else { return }
        let found = try #require(lines.first { $0.check == first })
        #expect(found.text.contains(plugin.validatorSays), "\(found)")
    }

    private func build(_ plugin: ThirdPartyPlugin) throws -> String {
        try WrongPlugin.build("../ThirdPartyPlugins/\(plugin.name).c", as: "plugin-\(plugin.name)")
    }
}
