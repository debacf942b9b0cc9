import GreenroomABI
import GreenroomMedia

/// Reads the entry and the descriptors of a library without trusting them.
///
/// A plugin may contain NULL where the header forbids it. Swift imports such a pointer as
/// non-optional, so each struct is checked as raw memory first.
struct DescriptorReader {
    var path: String

    /// Checks the entry.
    ///
    /// - Returns: The entry, whose function pointers are not null.
    func entry(at address: UnsafePointer<gr_entry>?) throws(LoadError) -> gr_entry {
        guard let address else {
            throw error(.badEntry, "\(GR_ENTRY_SYMBOL)() returned NULL. Return the entry.")
        }
        let raw = UnsafeRawPointer(address)
        let size = raw.load(as: UInt32.self)
        guard size >= 8 else {
            throw error(
                .badEntry, "the entry's struct_size is \(size). Set it to sizeof(gr_entry).")
        }
        let major = raw.load(fromByteOffset: offset(\gr_entry.abi_major), as: UInt16.self)
        guard major == UInt16(GR_ABI_MAJOR) else {
            throw error(
                .wrongMajor,
                "built for major \(major) of the plugin interface, but this host has major "
                    + "\(GR_ABI_MAJOR). Rebuild it with this host's greenroom/plugin.h.")
        }
        guard size >= UInt32(MemoryLayout<gr_entry>.size) else {
            throw error(
                .badEntry,
                "the entry's struct_size is \(size), but major 1 has at least "
                    + "\(MemoryLayout<gr_entry>.size) bytes. Set it to sizeof(gr_entry).")
        }
        try requirePointers(
            in: raw, of: "the entry",
            [("descriptor", offset(\gr_entry.descriptor)), ("create", offset(\gr_entry.create))],
            .badEntry)
        let entry = address.pointee
        guard (1...DescriptorRules.pluginLimit).contains(Int(entry.plugin_count)) else {
            throw error(
                .badEntry,
                "plugin_count is \(entry.plugin_count), but must be 1 to \(DescriptorRules.pluginLimit)."
            )
        }
        return entry
    }

    /// Checks and copies a descriptor.
    func descriptor(_ index: UInt32, of entry: gr_entry) throws(LoadError) -> PluginDescriptor {
        guard let address = entry.descriptor(index) else {
            throw error(.badDescriptor, "descriptor(\(index)) returned NULL.")
        }
        let raw = UnsafeRawPointer(address)
        let place = "descriptor \(index)"
        try requireSize(of: gr_descriptor.self, at: raw, place)
        let kindNumber = raw.load(fromByteOffset: offset(\gr_descriptor.kind), as: UInt32.self)
        let id = try string(raw, offset(\gr_descriptor.id), "\(place): id")
        try requireCharacters(
            id, "\(place): id", DescriptorRules.isIdentifierByte, "a-z, 0-9, '-' and '.'")
        let name = try string(raw, offset(\gr_descriptor.name), "\(place): name")
        try requireCharacters(
            name, "\(place): name", DescriptorRules.isNameByte, "letters, digits and '-'")
        guard let kind = PluginKind(rawValue: kindNumber) else {
            throw error(
                .unknownKind,
                "\(name) is of kind \(kindNumber), which this host does not know. Kinds are 1 to "
                    + "\(PluginKind.allCases.count).")
        }
        return PluginDescriptor(
            kind: kind, id: id, name: name,
            version: try string(raw, offset(\gr_descriptor.version), "\(place): version"),
            summary: try string(raw, offset(\gr_descriptor.summary), "\(place): summary"),
            vendor: try optionalString(raw, offset(\gr_descriptor.vendor), "\(place): vendor"),
            url: try optionalString(raw, offset(\gr_descriptor.url), "\(place): url"),
            parameters: try parameters(of: address.pointee, name),
            needs: PluginNeeds(rawValue: UInt16(truncatingIfNeeded: address.pointee.needs)),
            memoryMegabytes: UInt16(address.pointee.needs >> 16))
    }

    private func parameters(
        of descriptor: gr_descriptor, _ name: String
    ) throws(LoadError) -> [Parameter] {
        let count = Int(descriptor.parameter_count)
        guard count > 0 else { return [] }
        guard count <= DescriptorRules.parameterLimit, let table = descriptor.parameters else {
            throw error(
                .badDescriptor,
                "\(name): parameter_count is \(count)"
                    + (descriptor.parameters == nil ? " and parameters is NULL." : ", too many."))
        }
        // Step by the writer's own sizeof.
        let first = UnsafeRawPointer(table)
        let step = Int(first.load(as: UInt32.self))
        var parameters: [Parameter] = []
        for index in 0..<count {
            let place = "\(name): parameter \(index)"
            guard step >= MemoryLayout<gr_parameter>.size, step % 8 == 0, step <= 4096 else {
                throw error(
                    .badDescriptor,
                    "\(place): struct_size is \(step). Set it to "
                        + "sizeof(gr_parameter).")
            }
            let parameter = try parameter(at: first + index * step, place)
            guard !parameters.contains(where: { $0.name == parameter.name }) else {
                throw error(.badDescriptor, "\(place): \(parameter.name) appears twice.")
            }
            parameters.append(parameter)
        }
        return parameters
    }

    private func parameter(
        at raw: UnsafeRawPointer, _ place: String
    ) throws(LoadError) -> Parameter {
        try requireSize(of: gr_parameter.self, at: raw, place)
        let name = try string(raw, offset(\gr_parameter.name), "\(place): name")
        try requireCharacters(
            name, "\(place): name", DescriptorRules.isParameterByte, "a-z, 0-9 and '-'")
        guard name.utf8.first.map(DescriptorRules.isLetter) == true else {
            throw error(.badDescriptor, "\(place): name is \"\(name)\". Begin it with a letter.")
        }
        let title = try string(raw, offset(\gr_parameter.title), "\(place): title")
        let typeNumber = raw.load(fromByteOffset: offset(\gr_parameter.type), as: UInt32.self)
        guard let type = Parameter.ValueType(rawValue: typeNumber) else {
            throw error(.badDescriptor, "\(place) (\(name)): type \(typeNumber) is unknown.")
        }
        // All non-null members are checked, so the struct can be loaded.
        let parameter = raw.load(as: gr_parameter.self)
        var bounds: ClosedRange<Double>?
        if parameter.flags & UInt32(GR_PARAMETER_BOUNDED) != 0 {
            guard parameter.minimum <= parameter.maximum else {
                throw error(
                    .badDescriptor,
                    "\(place) (\(name)): minimum \(parameter.minimum) is above maximum "
                        + "\(parameter.maximum).")
            }
            bounds = parameter.minimum...parameter.maximum
        }
        var result = Parameter(
            name: name, title: title, type: type,
            unit: try optionalString(raw, offset(\gr_parameter.unit), "\(place): unit"),
            defaultValue: nil, bounds: bounds,
            choices: type == .choice ? try choices(of: parameter, "\(place) (\(name))") : [],
            isLive: parameter.flags & UInt32(GR_PARAMETER_LIVE) != 0,
            isResource: type == .string && parameter.flags & UInt32(GR_PARAMETER_RESOURCE) != 0,
            isSecret: parameter.flags & UInt32(GR_PARAMETER_SECRET) != 0)
        guard !result.isSecret || type == .string && !result.isLive else {
            throw error(
                .badDescriptor,
                "\(place) (\(name)): a secret is a string and never live. Remove GR_PARAMETER_SECRET or "
                    + "GR_PARAMETER_LIVE.")
        }
        if parameter.flags & UInt32(GR_PARAMETER_REQUIRED) == 0 {
            result.defaultValue = try defaultValue(of: parameter, as: result, place)
        }
        return result
    }

    private func choices(
        of parameter: gr_parameter, _ place: String
    ) throws(LoadError) -> [String] {
        let count = Int(parameter.choice_count)
        guard (1...DescriptorRules.choiceLimit).contains(count), let table = parameter.choices
        else {
            throw error(.badDescriptor, "\(place): a choice without choices.")
        }
        var choices: [String] = []
        let step = MemoryLayout<UnsafeRawPointer?>.stride
        for index in 0..<count {
            choices.append(
                try string(UnsafeRawPointer(table), index * step, "\(place): choice \(index)"))
        }
        return choices
    }

    private func defaultValue(
        of raw: gr_parameter, as parameter: Parameter, _ place: String
    ) throws(LoadError) -> ParameterValue {
        let value = raw.default_value
        guard value.type == raw.type else {
            throw error(
                .badDescriptor,
                "\(place) (\(parameter.name)): the default is of type "
                    + "\(value.type), but the parameter is of type \(raw.type).")
        }
        let given: ParameterValue
        switch parameter.type {
        case .boolean: given = .boolean(value.integer != 0)
        case .integer: given = .integer(value.integer)
        case .number: given = .number(value.number)
        case .string, .choice, .path:
            guard let text = value.string else {
                throw error(.badDescriptor, "\(place) (\(parameter.name)): the default is NULL.")
            }
            given = .string(try copy(text, "\(place) (\(parameter.name)): default"))
        }
        // An empty default path means "none".
        if parameter.type == .path, given == .string("") { return given }
        do throws(SettingError) {
            _ = try parameter.check(given, relativeTo: "")
        } catch {
            throw self.error(
                .badDescriptor, "\(place) (\(parameter.name)): default: \(error)")
        }
        return given
    }

    // MARK: Raw memory

    private func offset<Root, Value>(_ member: KeyPath<Root, Value>) -> Int {
        // Imported C structs have an offset for each member.
        MemoryLayout<Root>.offset(of: member) ?? 0
    }

    private func requireSize<Struct>(
        of type: Struct.Type, at raw: UnsafeRawPointer, _ place: String
    ) throws(LoadError) {
        let size = raw.load(as: UInt32.self)
        guard size >= UInt32(MemoryLayout<Struct>.size) else {
            throw error(
                .badDescriptor,
                "\(place): struct_size is \(size), but major 1 has at least "
                    + "\(MemoryLayout<Struct>.size) bytes. Set it to sizeof(\(type)).")
        }
    }

    private func requirePointers(
        in raw: UnsafeRawPointer, of place: String, _ members: [(name: String, offset: Int)],
        _ code: LoadError.Code
    ) throws(LoadError) {
        for member in members where raw.load(fromByteOffset: member.offset, as: UInt.self) == 0 {
            throw error(code, "\(place)'s \(member.name) is NULL. Every such function is required.")
        }
    }

    private func string(
        _ raw: UnsafeRawPointer, _ offset: Int, _ place: String
    ) throws(LoadError) -> String {
        guard let text = try optionalString(raw, offset, place) else {
            throw error(.badDescriptor, "\(place) is NULL.")
        }
        guard !text.isEmpty else { throw error(.badDescriptor, "\(place) is empty.") }
        return text
    }

    private func optionalString(
        _ raw: UnsafeRawPointer, _ offset: Int, _ place: String
    ) throws(LoadError) -> String? {
        guard let text = raw.load(fromByteOffset: offset, as: UnsafePointer<CChar>?.self) else {
            return nil
        }
        return try copy(text, place)
    }

    private func copy(_ text: UnsafePointer<CChar>, _ place: String) throws(LoadError) -> String {
        guard let copy = String(pluginText: text, longest: DescriptorRules.textLimit) else {
            throw error(
                .badDescriptor,
                "\(place) is not UTF-8, has control characters, or is longer than \(DescriptorRules.textLimit) bytes."
            )
        }
        return copy
    }

    private func requireCharacters(
        _ text: String, _ place: String, _ isLegal: (UInt8) -> Bool, _ rule: String
    ) throws(LoadError) {
        guard text.utf8.allSatisfy(isLegal) else {
            throw error(.badDescriptor, "\(place) is \"\(text)\", but may only have \(rule).")
        }
    }

    private func error(_ code: LoadError.Code, _ explanation: String) -> LoadError {
        LoadError(code: code, place: path, explanation: explanation)
    }
}
