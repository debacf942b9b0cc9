extension PluginSettings {
    /// Takes over a value. The host has checked it against the table; what comes unchecked all
    /// the same is refused.
    mutating func apply(
        _ value: SettingValue, to name: String, of table: [Setting<Self>]
    ) throws(PluginError) {
        guard let setting = table.first(where: { $0.name == name }) else {
            throw PluginError("unknown setting '\(name)'", status: .badSetting)
        }
        let number: Double? =
            switch value {
            case .integer(let integer): Double(integer)
            case .number(let number): number
            case .boolean, .string: nil
            }
        if let number {
            guard number.isFinite, setting.parameter.bounds?.contains(number) ?? true else {
                throw PluginError(
                    "setting '\(name)' is out of bounds: \(number)", status: .badSetting)
            }
        }
        guard setting.write(&self, value) else {
            throw PluginError(
                "setting '\(name)' cannot be \(value): it is a \(setting.parameter.type)",
                status: .badSetting)
        }
    }
}
