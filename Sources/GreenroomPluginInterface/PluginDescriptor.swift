package import GreenroomMedia

/// A plugin's own description, checked and copied from the plugin's memory.
package struct PluginDescriptor: Equatable, Sendable {
    /// The kind of plugin.
    package var kind: PluginKind
    /// The plugin's permanent id, a reverse domain.
    package var id: String
    /// The plugin's name in session files.
    package var name: String
    /// The plugin's version.
    package var version: String
    /// One line for users.
    package var summary: String
    /// The author.
    package var vendor: String?
    /// The address of the documentation.
    package var url: String?
    /// The plugin's settings, in the plugin's order.
    package var parameters: [Parameter]
    package var needs: PluginNeeds
    /// The private memory of its process; 0 if the default is enough.
    package var memoryMegabytes: UInt16

    package init(
        kind: PluginKind, id: String, name: String, version: String, summary: String,
        vendor: String? = nil, url: String? = nil, parameters: [Parameter],
        needs: PluginNeeds = [], memoryMegabytes: UInt16 = 0
    ) {
        self.kind = kind
        self.id = id
        self.name = name
        self.version = version
        self.summary = summary
        self.vendor = vendor
        self.url = url
        self.parameters = parameters
        self.needs = needs
        self.memoryMegabytes = memoryMegabytes
    }
}

/// A setting of a plugin.
package struct Parameter: Equatable, Sendable {
    /// The type of a setting's values. Raw values are those of `GR_TYPE_…`.
    package enum ValueType: UInt32, CaseIterable, Sendable {
        /// True or false.
        case boolean = 1
        /// A whole number.
        case integer = 2
        /// A number.
        case number = 3
        /// Text.
        case string = 4
        /// One of the choices.
        case choice = 5
        /// A file or folder.
        case path = 6
    }

    /// The parameter's name in session files.
    package var name: String
    /// A few words for users.
    package var title: String
    /// The type of the parameter's values.
    package var type: ValueType
    /// The unit of the parameter's values.
    package var unit: String?
    /// The default value; nil if the session file must give a value.
    package var defaultValue: ParameterValue?
    /// The minimum and the maximum.
    package var bounds: ClosedRange<Double>?
    /// The allowed values of a choice.
    package var choices: [String]
    /// Whether the value may change while the plugin runs.
    package var isLive: Bool
    /// Whether the value names something outside of the plugin: a path, an address, a device, a command.
    package var isResource: Bool
    /// Whether the value is never printed.
    package var isSecret: Bool

    package init(
        name: String, title: String, type: ValueType, unit: String?,
        defaultValue: ParameterValue?, bounds: ClosedRange<Double>?, choices: [String],
        isLive: Bool, isResource: Bool = false, isSecret: Bool = false
    ) {
        self.name = name
        self.title = title
        self.type = type
        self.unit = unit
        self.defaultValue = defaultValue
        self.bounds = bounds
        self.choices = choices
        self.isLive = isLive
        self.isResource = isResource || type == .path
        self.isSecret = isSecret
    }
}
