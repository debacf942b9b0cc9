import GreenroomABI
import GreenroomPlugin
import Synchronization
import Testing

@Suite struct SettingsTests {
    private func parameters() throws -> [gr_parameter] {
        let descriptor = try #require(
            (0..<testEntry.pointee.plugin_count)
                .compactMap { testEntry.pointee.descriptor($0) }
                .first { String(cString: $0.pointee.name) == "settings" })
        return Array(
            UnsafeBufferPointer(
                start: descriptor.pointee.parameters,
                count: Int(descriptor.pointee.parameter_count)))
    }

    @Test func `the parameter table matches the Swift table`() throws {
        let table = try parameters()
        let lines = table.map { parameter in
            let choices = (0..<Int(parameter.choice_count)).compactMap { index in
                parameter.choices.map { String(cString: $0[index]) }
            }
            let unit = parameter.unit.map { String(cString: $0) } ?? "-"
            return "\(String(cString: parameter.name)) \(String(cString: parameter.title)) "
                + "\(parameter.type) \(parameter.flags) \(unit) \(choices) "
                + "\(parameter.minimum) \(parameter.maximum)"
        }
        #expect(
            lines == [
                "on On 1 1 - [] 0.0 0.0",
                "count Count 2 5 px [] -5.0 5.0",
                "line-speed Speed 3 5 Hz [] 0.0 10.0",
                "title Title 4 0 - [] 0.0 0.0",
                "shade Shade 5 1 - [\"dark\", \"very-light\"] 0.0 0.0",
                "file File 6 2 - [] 0.0 0.0",
            ])
        #expect(table[0].default_value.integer == 1)
        #expect(table[1].default_value.integer == 3)
        #expect(table[2].default_value.number == 0.5)
        #expect(table[3].default_value.string.map { String(cString: $0) } == "Grün")
        #expect(table[4].default_value.string.map { String(cString: $0) } == "very-light")
        #expect(table.allSatisfy { $0.type == $0.default_value.type && $0.struct_size == 96 })
    }

    @Test
    func `settings have the struct's defaults, and given values replace the defaults`() throws {
        let bare = try FakeSession("settings", of: testEntry)
        #expect(bare.host.state.withLock { $0.log } == ["2 true 3 0.5 Grün light "])
        let given = try FakeSession(
            "settings", of: testEntry,
            settings: [
                ("on", .boolean(false)), ("count", .integer(-5)), ("line-speed", .number(10)),
                ("title", .text("")), ("shade", .choice("dark")), ("file", .path("/a")),
            ])
        #expect(given.host.state.withLock { $0.log } == ["2 false -5 10.0  dark /a"])
    }

    @Test(
        arguments: [
            ("colour", Given.integer(1), "unknown setting 'colour'"),
            ("count", .integer(6), "out of bounds"),
            ("count", .number(1), "cannot be"),
            ("count", .integer(.min), "out of bounds"),
            ("line-speed", .number(.nan), "out of bounds"),
            ("line-speed", .number(.infinity), "out of bounds"),
            ("shade", .choice("grey"), "cannot be"),
            ("on", .text("yes"), "cannot be"),
            ("title", .nothing(type: 4), "no text"),
            ("title", .nothing(type: 99), "type 99"),
        ] as [(String, Given, String)])
    func `a plugin refuses settings that the host should have refused`(
        name: String, value: Given, text: String
    ) throws {
        let host = FakeHost()
        let refusal = #expect(throws: FakeHost.Refusal.self) {
            try FakeSession("settings", of: testEntry, settings: [(name, value)], host: host)
        }
        #expect(refusal?.status == .badSetting)
        #expect(host.state.withLock { $0.errors.count == 1 && $0.errors[0].contains(text) })
    }

    @Test func `live settings change, and other settings are refused while a plugin runs`() throws {
        let session = try FakeSession("settings", of: testEntry)
        #expect(try session.set("count", .integer(4)) == .ok)
        #expect(try session.set("shade", .choice("dark")) == .ok)
        #expect(try session.set("title", .text("New")) == .badSetting)
        #expect(try session.set("count", .integer(99)) == .badSetting)
        #expect(try session.set("nothing", .integer(0)) == .badSetting)
        #expect(
            session.host.state.withLock { $0.log } == [
                "2 true 3 0.5 Grün light ", "2 true 4 0.5 Grün light ",
                "2 true 4 0.5 Grün dark ",
            ])
    }
}
