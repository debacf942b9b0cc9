import Glibc
import GreenroomMedia
import GreenroomModel
import GreenroomPluginInterface
import TestSupport
import Testing

@testable import GreenroomHost

/// Secrets that come from files.
@Suite struct SecretFileTests {
    private let folder: TemporaryFolder
    private let descriptor = PluginDescriptor(
        kind: .call, id: "x", name: "X", version: "1", summary: "x", vendor: nil, url: nil,
        parameters: [
            Parameter(
                name: "token", title: "Token", type: .string, unit: nil, defaultValue: "",
                bounds: nil, choices: [], isLive: false, isSecret: true),
            Parameter(
                name: "plain", title: "Plain", type: .string, unit: nil, defaultValue: "",
                bounds: nil, choices: [], isLive: false),
        ])

    init() throws { folder = try TemporaryFolder() }

    private func check(
        _ settings: [String: ParameterValue]
    ) -> (settings: [PluginSetting], problems: [SettingError]) {
        SecretFile.check(settings, of: descriptor, relativeTo: folder.path)
    }

    @Test(arguments: ["hidden-token", "hidden-token\n", "hidden-token\r\n"])
    func `a secret comes from a file, without its newline`(text: String) throws {
        try folder.write("t", text)
        for path in ["t", folder("t")] {
            let (settings, problems) = check(["token-file": .string(path)])
            #expect(problems.isEmpty, "\(problems)")
            #expect(settings.first?.value == .string("hidden-token"))
        }
    }

    @Test func `a secret comes from an environment variable that plugins do not get`() throws {
        func read(_ name: String) throws -> String {
            try SecretFile.read(name, relativeTo: folder.path) { "hidden-\($0)" }
        }
        #expect(try read("environment:ROOM_TOKEN") == "hidden-ROOM_TOKEN")
        #expect(throws: InvalidValueError.self) { try read("environment:GREENROOM_TOKEN") }
    }

    @Test func `an error about a file without a secret does not show the file's text`() throws {
        for (name, text) in [
            ("empty", ""), ("lines", "hidden\nhidden"), ("blank", "hidden token"),
            ("long", String(repeating: "h", count: 5000)),
        ] {
            try folder.write(name, text)
            let problems = check(["token-file": .string(name)]).problems
            #expect(problems.map(\.name) == ["token-file"])
            #expect(!"\(problems)".contains("hidden"), "\(problems)")
        }
        for value in [
            "missing", ".", "/dev/zero", "", "credential:../x", "credential:", "credential:a",
            "environment:", "environment:GREENROOM_NOT_SET",
        ] {
            #expect(
                check(["token-file": .string(value)]).problems.map(\.name) == ["token-file"],
                "\(value)")
        }
        try folder.write("t", "hidden-token")
        #expect(
            check(["token-file": "t", "token": "other"]).problems.map(\.name) == ["token-file"])
        #expect(check(["plain-file": "t"]).problems.map(\.name) == ["plain-file"])
    }

    @Test func `an error about a secret does not contain it`() {
        let problems = check(["token": .boolean(true)]).problems
        #expect(problems.map(\.name) == ["token"])
        #expect(!"\(problems)".contains("true,"))
    }
}
