import Foundation
import TestSupport
import Testing

/// The settings in the descriptions of bundled plugins.
@Suite(.ownThreads) struct DescribedSettingsTests {
    private struct PluginSetting: Decodable {
        var name: String
        var type: String
        var live: Bool
        var resource: Bool
        var secret: Bool
    }

    private struct Plugin: Decodable {
        var name: String
        var settings: [PluginSetting]
    }

    private struct Listing: Decodable { var plugins: [Plugin] }

    /// Live texts that name nothing outside of their plugin: a plugin shows, speaks or compares them.
    private static let plainTexts: Set = [
        "Browser.css", "Browser.script", "Speech.say", "Speech.text", "Speech.voice",
        "Stage.custom", "Stage.inset", "Stage.main", "Stage.name", "Text.background",
        "Text.clock-start", "Text.color", "Text.font", "Text.subtitle", "Text.text",
        "Text.time-format",
    ]

    @Test func `settings that name files, devices, addresses or secrets say so`() throws {
        let run = try Greenroom.run("plugins", "--json")
        #expect(run.exit == .code(0), "\(run)")
        let plugins = try JSONDecoder().decode(Listing.self, from: Data(run.standardOutput)).plugins
        #expect(plugins.count > 25)
        let resources: Set = [
            "address", "allow-origins", "announce", "command", "device", "fetch", "proxy",
            "public-url", "publish", "stun", "turn", "url",
        ]
        for plugin in plugins where plugin.name.first?.isUppercase == true {
            for setting in plugin.settings {
                let place: Comment = "\(plugin.name).\(setting.name)"
                let word = setting.name.split(separator: "-").last ?? ""
                if setting.type == "path" { #expect(setting.resource, place) }
                guard setting.type == "string" else { continue }
                if resources.contains(setting.name) { #expect(setting.resource, place) }
                if ["token", "secret", "password"].contains(word) {
                    #expect(setting.secret, place)
                }
                if setting.live, !setting.resource {
                    // The share of Text has the same settings.
                    let name = plugin.name == "TextShare" ? "Text" : plugin.name
                    #expect(Self.plainTexts.contains("\(name).\(setting.name)"), place)
                }
            }
        }
        #expect(plugins.contains { $0.settings.contains(where: \.secret) })
        #expect(plugins.contains { $0.settings.contains { $0.live && $0.resource } })
    }
}
