internal import GreenroomABI
internal import Glibc

// The C tables that describe a plugin. They are made once and never freed.

/// Puts a value into memory that stays.
func leaked<Value>(_ value: Value) -> UnsafePointer<Value> {
    let memory = UnsafeMutablePointer<Value>.allocate(capacity: 1)
    memory.initialize(to: value)
    return UnsafePointer(memory)
}

/// Puts values, one after the other, into memory that stays; nil if none.
func leaked<Value>(_ values: [Value]) -> UnsafePointer<Value>? {
    guard !values.isEmpty else { return nil }
    let memory = UnsafeMutableBufferPointer<Value>.allocate(capacity: values.count)
    _ = memory.initialize(from: values)
    return UnsafePointer(memory.baseAddress)
}

/// A C string that stays.
func leaked(_ text: String) -> UnsafePointer<CChar> {
    let bytes = Array(text.utf8CString)
    let memory = UnsafeMutableBufferPointer<CChar>.allocate(capacity: bytes.count)
    _ = memory.initialize(from: bytes)
    // The array has its NUL at least, so the memory has an address.
    return UnsafePointer(memory.baseAddress.unsafelyUnwrapped)
}

extension gr_descriptor {
    init(_ export: PluginExport) {
        let parameters = export.parameters.map { gr_parameter($0.parameter, $0.defaultValue) }
        self.init(
            struct_size: UInt32(MemoryLayout<gr_descriptor>.size), kind: export.kind.rawValue,
            id: leaked(export.description.id), name: leaked(export.description.name),
            version: leaked(export.description.version),
            summary: leaked(export.description.summary),
            vendor: export.description.vendor.map { leaked($0) },
            url: export.description.url.map { leaked($0) },
            parameters: leaked(parameters), parameter_count: UInt32(clamping: parameters.count),
            // `GR_NEED_MEMORY`.
            needs: UInt32(export.description.needs.rawValue)
                | UInt32(UInt16(clamping: export.description.memoryMegabytes)) << 16)
    }
}

extension gr_video_capabilities {
    /// Nil for a plugin that does not say what it can make.
    init?(_ export: PluginExport) {
        let rows = export.capabilities.map(gr_capability.init)
        guard let start = leaked(rows) else { return nil }
        self.init(
            struct_size: UInt32(MemoryLayout<gr_video_capabilities>.size),
            count: UInt32(clamping: rows.count), rows: start)
    }
}

extension gr_parameter {
    init(_ parameter: ParameterEntry, _ defaultValue: SettingValue) {
        var flags = 0
        if parameter.isLive { flags |= GR_PARAMETER_LIVE }
        if parameter.isRequired { flags |= GR_PARAMETER_REQUIRED }
        if parameter.isResource { flags |= GR_PARAMETER_RESOURCE }
        if parameter.isSecret { flags |= GR_PARAMETER_SECRET }
        if parameter.bounds != nil { flags |= GR_PARAMETER_BOUNDED }
        let choices: [UnsafePointer<CChar>] = parameter.choices.map { leaked($0) }
        self.init(
            struct_size: UInt32(MemoryLayout<gr_parameter>.size), type: parameter.type.rawValue,
            flags: UInt32(flags), choice_count: UInt32(clamping: choices.count),
            name: leaked(parameter.name), title: leaked(parameter.title),
            unit: parameter.unit.map { leaked($0) }, choices: leaked(choices),
            default_value: gr_value(defaultValue, type: parameter.type),
            minimum: parameter.bounds?.lowerBound ?? 0, maximum: parameter.bounds?.upperBound ?? 0)
    }
}

extension gr_value {
    init(_ value: SettingValue, type: SettingType) {
        self.init()
        self.type = type.rawValue
        switch value {
        case .boolean(let value): integer = value ? 1 : 0
        case .integer(let value): integer = value
        case .number(let value): number = value
        case .string(let value): string = leaked(value)
        }
    }
}
