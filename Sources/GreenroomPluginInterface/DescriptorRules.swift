import GreenroomMedia

/// Rules for descriptors from a library's memory, another process or a file.
enum DescriptorRules {
    /// Limits of plugins in a library, parameters of a plugin and choices of a parameter.
    static let pluginLimit = 256
    static let parameterLimit = 256
    static let choiceLimit = 1024
    /// The most bytes of a text.
    static let textLimit = 4096

    static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }

    static func isParameterByte(_ byte: UInt8) -> Bool {
        isLetter(byte)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
    }

    static func isIdentifierByte(_ byte: UInt8) -> Bool {
        isParameterByte(byte) || byte == UInt8(ascii: ".")
    }

    static func isNameByte(_ byte: UInt8) -> Bool {
        isParameterByte(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
    }

    /// Whether a text can be displayed.
    fileprivate static func isText(_ text: String) -> Bool {
        text.utf8.count <= textLimit && text.isPrintable
    }

    fileprivate static func isFilled(_ text: String) -> Bool { !text.isEmpty && isText(text) }
}

extension LibraryDescription {
    /// Whether the description breaks no rule.
    package var isLegal: Bool {
        (1...DescriptorRules.pluginLimit).contains(descriptors.count)
            && descriptors.allSatisfy(\.isLegal)
            && Set(descriptors.map(\.id)).count == descriptors.count
            && Dictionary(grouping: descriptors, by: \.kind).values.allSatisfy {
                Set($0.map(\.name)).count == $0.count
            }
    }
}

extension PluginDescriptor {
    fileprivate var isLegal: Bool {
        DescriptorRules.isFilled(id) && id.utf8.allSatisfy(DescriptorRules.isIdentifierByte)
            && DescriptorRules.isFilled(name) && name.utf8.allSatisfy(DescriptorRules.isNameByte)
            && DescriptorRules.isFilled(version) && DescriptorRules.isFilled(summary)
            && DescriptorRules.isText(vendor ?? "") && DescriptorRules.isText(url ?? "")
            && parameters.count <= DescriptorRules.parameterLimit
            && parameters.allSatisfy(\.isLegal)
            && Set(parameters.map(\.name)).count == parameters.count
    }
}

extension Parameter {
    fileprivate var isLegal: Bool {
        name.utf8.first.map(DescriptorRules.isLetter) == true
            && DescriptorRules.isFilled(name)
            && name.utf8.allSatisfy(DescriptorRules.isParameterByte)
            && DescriptorRules.isFilled(title) && DescriptorRules.isText(unit ?? "")
            && hasLegalChoices && hasLegalDefault
            && (!isSecret || type == .string && !isLive)
    }

    private var hasLegalChoices: Bool {
        guard type == .choice else { return choices.isEmpty }
        return (1...DescriptorRules.choiceLimit).contains(choices.count)
            && choices.allSatisfy(DescriptorRules.isFilled)
    }

    private var hasLegalDefault: Bool {
        guard let defaultValue else { return true }
        switch (type, defaultValue) {
        case (.path, .string("")): return true
        case (.boolean, .boolean), (.integer, .integer), (.number, .number): break
        case (.string, .string(let text)), (.choice, .string(let text)), (.path, .string(let text)):
            guard DescriptorRules.isText(text) else { return false }
        default: return false
        }
        return (try? check(defaultValue, relativeTo: "")) != nil
    }
}
