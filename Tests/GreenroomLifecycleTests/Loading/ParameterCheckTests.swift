import GreenroomMedia
import Testing

@testable import GreenroomLifecycle
@testable import GreenroomPluginInterface

@Suite struct ParameterCheckTests {
    static func parameter(
        _ name: String, _ type: Parameter.ValueType, default value: ParameterValue?,
        bounds: ClosedRange<Double>? = nil, choices: [String] = []
    ) -> Parameter {
        Parameter(
            name: name, title: name, type: type, unit: "Hz", defaultValue: value, bounds: bounds,
            choices: choices, isLive: false)
    }

    static let plugin = PluginDescriptor(
        kind: .videoSource, id: "org.example.test", name: "Test", version: "1", summary: "Test",
        vendor: nil, url: nil,
        parameters: [
            parameter("loop", .boolean, default: .boolean(true)),
            parameter("count", .integer, default: .integer(3), bounds: 1...10),
            parameter("speed", .number, default: .number(1), bounds: 0...2),
            parameter("text", .string, default: .string("")),
            parameter("pattern", .choice, default: .string("bars"), choices: ["bars", "720"]),
            parameter("file", .path, default: nil),
        ])

    @Test func `missing settings have their defaults, in the table's order`() {
        let (settings, problems) = Self.plugin.check(
            settings: [("file", .string("a.y4m"))], relativeTo: "/sessions")
        #expect(problems.isEmpty)
        #expect(settings.map(\.name) == ["loop", "count", "speed", "text", "pattern", "file"])
        #expect(settings[1].value == .integer(3))
        #expect(settings[5].value == .string("/sessions/a.y4m"))
    }

    @Test(arguments: [
        ("count", ParameterValue.integer(1), ParameterValue.integer(1)),
        ("count", .integer(10), .integer(10)), ("speed", .integer(2), .number(2)),
        ("speed", .number(0.5), .number(0.5)), ("text", .integer(7), .string("7")),
        ("pattern", .integer(720), .string("720")), ("pattern", .string("bars"), .string("bars")),
        ("file", .string("/abs/b"), .string("/abs/b")), ("loop", .boolean(false), .boolean(false)),
    ])
    func `legal values are converted to the parameter's type`(
        name: String, given: ParameterValue, taken: ParameterValue
    ) {
        let (settings, problems) = Self.plugin.check(
            settings: [("file", .string("a")), (name, given)], relativeTo: "/s")
        #expect(problems.isEmpty)
        #expect(settings.first { $0.name == name }?.value == taken)
    }

    @Test(arguments: [
        ("count", ParameterValue.integer(0), "1 to 10"), ("count", .integer(11), "1 to 10"),
        ("count", .number(1.5), "a whole number"), ("count", .string("3"), "a whole number"),
        ("speed", .number(2.01), "0 to 2 Hz"), ("speed", .number(.nan), "a number"),
        ("speed", .number(.infinity), "a number"), ("loop", .string("yes"), "true or false"),
        ("loop", .integer(1), "true or false"), ("pattern", .string("grey"), "bars, 720"),
        ("pattern", .boolean(true), "bars, 720"), ("file", .string(""), "empty"),
        ("file", .integer(1), "a path"), ("nonsense", .integer(1), "no such setting"),
    ])
    func `illegal values are refused with the rule`(
        name: String, given: ParameterValue, rule: String
    ) {
        let (_, problems) = Self.plugin.check(
            settings: [("file", .string("a")), (name, given)], relativeTo: "/s")
        #expect(problems.count == 1)
        #expect(problems.first?.name == name)
        #expect(problems.first?.description.contains(rule) == true, "\(problems)")
    }

    @Test func `all problems are reported at once`() {
        let (_, problems) = Self.plugin.check(
            settings: [("count", .integer(0)), ("other", .integer(0))], relativeTo: "/s")
        #expect(Set(problems.map(\.name)) == ["count", "other", "file"])
    }
}
