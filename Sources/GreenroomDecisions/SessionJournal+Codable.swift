import GreenroomMedia
public import GreenroomModel
package import GreenroomPluginInterface

extension PluginSetting: Codable {
    /// Reads a setting of a journal, with an empty value.
    package init(from decoder: any Decoder) throws {
        let name = try decoder.singleValueContainer().decode(String.self)
        self.init(name: name, type: .string, value: "")
    }

    /// Writes the setting's name. No decision reads the value, and the value may be a secret.
    package func encode(to encoder: any Encoder) throws {
        var name = encoder.singleValueContainer()
        try name.encode(self.name)
    }
}

extension SessionEvent.Step: Codable {
    /// Reads the name of a step.
    public init(from decoder: any Decoder) throws {
        let name = try decoder.singleValueContainer().decode(String.self)
        let others: [Self] = [.connect, .process, .media]
        guard
            let step = LifecycleStep(rawValue: name).map(Self.lifecycle)
                ?? others.first(where: { $0.description == name })
        else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "unknown step"))
        }
        self = step
    }

    /// Writes the name of the step.
    public func encode(to encoder: any Encoder) throws {
        var name = encoder.singleValueContainer()
        try name.encode(description)
    }
}
