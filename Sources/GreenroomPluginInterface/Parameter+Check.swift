package import GreenroomMedia

/// A setting and its checked value.
package struct PluginSetting: Equatable, Sendable {
    /// The parameter's name.
    package var name: String
    /// The parameter's type.
    package var type: Parameter.ValueType
    /// A value that the parameter's table allows.
    package var value: ParameterValue

    package init(name: String, type: Parameter.ValueType, value: ParameterValue) {
        self.name = name
        self.type = type
        self.value = value
    }
}

/// The reason why a setting's value is refused.
package struct SettingError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The setting.
    package var name: String
    /// The broken rule and the fix.
    package var description: String

    package init(name: String, description: String) {
        self.name = name
        self.description = description
    }
}

extension PluginDescriptor {
    /// Checks the values of a session file against the parameter table.
    ///
    /// - Parameters:
    ///   - given: Values by name.
    ///   - folder: The absolute folder of relative paths.
    /// - Returns: All settings in the order of the table, and all problems. The settings are
    ///   complete only if there are no problems.
    package func check(
        settings given: [(name: String, value: ParameterValue)], relativeTo folder: String
    ) -> (settings: [PluginSetting], problems: [SettingError]) {
        var problems: [SettingError] = []
        for (name, _) in given where !parameters.contains(where: { $0.name == name }) {
            let known = parameters.map(\.name).joined(separator: ", ")
            problems.append(
                SettingError(
                    name: name,
                    description: known.isEmpty
                        ? "\(self.name) has no settings. Remove it."
                        : "\(self.name) has no such setting. Its settings: \(known)."))
        }
        var settings: [PluginSetting] = []
        for parameter in parameters {
            do throws(SettingError) {
                guard let value = given.last(where: { $0.name == parameter.name })?.value else {
                    guard let value = parameter.defaultValue else {
                        throw SettingError(
                            name: parameter.name,
                            description: "\(self.name) requires this setting "
                                + "(\(parameter.title)). Add it.")
                    }
                    settings.append(
                        PluginSetting(name: parameter.name, type: parameter.type, value: value))
                    continue
                }
                let checked = try parameter.check(value, relativeTo: folder)
                settings.append(
                    PluginSetting(name: parameter.name, type: parameter.type, value: checked))
            } catch {
                problems.append(error)
            }
        }
        return (settings, problems)
    }
}

extension Parameter {
    /// Converts a value to the parameter's type and checks bounds and choices.
    func check(
        _ value: ParameterValue, relativeTo folder: String
    ) throws(SettingError) -> ParameterValue {
        switch (type, value) {
        case (.boolean, .boolean):
            return value
        case (.integer, .integer(let number)):
            try checkBounds(Double(number), written: "\(number)")
            return value
        case (.number, .integer(let number)):
            try checkBounds(Double(number), written: "\(number)")
            return .number(Double(number))
        case (.number, .number(let number)) where number.isFinite:
            try checkBounds(number, written: "\(number)")
            return value
        case (.string, .string):
            return value
        case (.choice, .string(let text)):
            guard choices.contains(text) else {
                throw problem("needs \(expectation), found \(written(value)).")
            }
            return value
        case (.path, .string(let text)):
            guard !text.isEmpty else { throw problem("the path is empty. Name a file or folder.") }
            // A list is a text with one line per entry.
            guard !text.utf8.contains(UInt8(ascii: "\n")) else {
                throw problem(
                    "needs one path without a line break. Rename the file, or name one path "
                        + "instead of a list.")
            }
            guard urlScheme(of: text) == nil else {
                throw problem("needs a path, found a URL. Name a file or folder on this machine.")
            }
            return .string(absolutePath(text, from: folder))
        // YAML reads 720 as a number and true as a Boolean, even if a name is meant.
        case (.string, .integer(let number)):
            return .string("\(number)")
        case (.choice, .integer(let number)) where choices.contains("\(number)"):
            return .string("\(number)")
        case (.choice, .boolean(let flag)) where choices.contains("\(flag)"):
            return .string("\(flag)")
        default:
            throw problem("needs \(expectation), found \(written(value)).")
        }
    }

    private func checkBounds(_ number: Double, written: String) throws(SettingError) {
        guard let bounds, !bounds.contains(number) else { return }
        let unit = unit.map { " \($0)" } ?? ""
        throw problem(
            "\(written) is out of bounds. Use \(boundsDescription ?? "")\(unit).")
    }

    private func problem(_ description: String) -> SettingError {
        SettingError(name: name, description: description)
    }

    /// The value for a message; a secret stays hidden.
    private func written(_ value: ParameterValue) -> String {
        isSecret ? "another value" : value.written
    }

    private var expectation: String {
        switch type {
        case .boolean: "true or false"
        case .integer: "a whole number"
        case .number: "a number"
        case .string: "text"
        case .choice: "one of \(choices.joined(separator: ", "))"
        case .path: "a path"
        }
    }
}

extension ParameterValue {
    /// The value in a session file's notation, with text in quotes. A list is a text with one line
    /// per entry.
    fileprivate var written: String {
        guard case .string(let text) = self else { return "\(self)" }
        return text.utf8.contains(UInt8(ascii: "\n")) ? "a list" : "\"\(text)\""
    }
}

extension Parameter {
    /// The bounds as text, `1 to 10`; nil if there are none.
    package var boundsDescription: String? {
        bounds.map { "\($0.lowerBound.brief) to \($0.upperBound.brief)" }
    }
}

extension Double {
    /// The number as text, without ".0" for whole numbers.
    var brief: String {
        Int64(exactly: self).map { "\($0)" } ?? "\(self)"
    }
}
