import GreenroomHost
import GreenroomMedia
import GreenroomPluginInterface
import GreenroomSchema

/// The installed effects, for `greenroom devices`.
struct EffectDevices: DeviceList {
    private struct Effect {
        var name: String
        var summary: String
        var line: String
    }

    private let effects: [Effect]

    /// Scans the libraries of effects, and caches the results.
    init(_ locator: PluginLocator) {
        var effects: [Effect] = []
        for finding in locator.scan(withEffects: true) {
            guard case .success(let library) = finding.result else { continue }
            for descriptor in library.descriptors
            where descriptor.name.hasPrefix("frei0r-") || descriptor.name.hasPrefix("ladspa-") {
                let name = JSON.string(descriptor.name).text
                let line =
                    descriptor.kind == .videoSource
                    ? "camera: { plugin: \(name) }" : "pre-processors: [{ plugin: \(name) }]"
                effects.append(
                    Effect(name: descriptor.name, summary: descriptor.summary, line: line))
            }
        }
        self.effects = effects.sorted { $0.name < $1.name }
    }

    var lines: [String] {
        if effects.isEmpty { return ["no effects: install some with: apt install frei0r-plugins"] }
        return effects.flatMap { effect in
            [
                "effect \(effect.name)" + (effect.summary.isEmpty ? "" : ": \(effect.summary)"),
                "  \(effect.line)",
            ]
        }
    }

    var members: [(String, JSON)] {
        [
            (
                "effects",
                .array(
                    effects.map {
                        [
                            "name": .string($0.name), "summary": .string($0.summary),
                            "line": .string($0.line),
                        ]
                    })
            )
        ]
    }
}
