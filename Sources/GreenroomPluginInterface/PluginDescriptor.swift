public import GreenroomMedia

/// What a plugin says of itself, checked and copied out of its memory.
public struct PluginDescriptor: Equatable, Sendable {
    /// What it is.
    public var kind: PluginKind
    /// Its name for ever, a reverse domain.
    public var id: String
    /// Its name in session files.
    public var name: String
    /// Its version.
    public var version: String
    /// One line for people.
    public var summary: String
    /// Who made it.
    public var vendor: String?
    /// Where to learn more.
    public var url: String?
    /// Its settings, in its own order.
    public var parameters: [Parameter]

    package init(
        kind: PluginKind, id: String, name: String, version: String, summary: String,
        vendor: String? = nil, url: String? = nil, parameters: [Parameter]
    ) {
        self.kind = kind
        self.id = id
        self.name = name
        self.version = version
        self.summary = summary
        self.vendor = vendor
        self.url = url
        self.parameters = parameters
    }
}

/// A setting that a plugin has.
public struct Parameter: Equatable, Sendable {
    /// The type of a setting's values. Raw values are those of `GR_TYPE_…`.
    public enum ValueType: UInt32, CaseIterable, Sendable {
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

    /// Its name in session files.
    public var name: String
    /// A few words for people.
    public var title: String
    /// The type of its values.
    public var type: ValueType
    /// The unit of its values.
    public var unit: String?
    /// What it is when the session file does not say; nil if the file must say.
    public var defaultValue: ParameterValue?
    /// The least and the greatest value.
    public var bounds: ClosedRange<Double>?
    /// The legal values of a choice.
    public var choices: [String]
    /// Whether it may change while the plugin runs.
    public var isLive: Bool

    package init(
        name: String, title: String, type: ValueType, unit: String?,
        defaultValue: ParameterValue?, bounds: ClosedRange<Double>?, choices: [String],
        isLive: Bool
    ) {
        self.name = name
        self.title = title
        self.type = type
        self.unit = unit
        self.defaultValue = defaultValue
        self.bounds = bounds
        self.choices = choices
        self.isLive = isLive
    }
}
