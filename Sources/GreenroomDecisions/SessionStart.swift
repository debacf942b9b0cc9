import GreenroomModel

/// The stages of a session's first start, in order.
///
/// A stage begins when every step of the stage before has ended: a source is offered a format when
/// each output has answered or failed, because the demand of each plugin limits the offers to the
/// next.
package enum StartStage: Int, CaseIterable, Codable, Sendable {
    case create
    case initializeOutputs
    case describeToOutputs
    case initializeComposers
    case describeToComposers
    case initializeSources
    /// Filters get the agreed row of their source's frames.
    case initializeFilters
    /// Describe the tracks with the agreed sizes.
    case describeAgain
    /// The host opens its outputs.
    case open
    case startOutputs
    case startFilters
    case startSources
    /// Every plugin has started or failed.
    case run

    var next: StartStage { StartStage(rawValue: rawValue + 1) ?? .run }

    /// Whether the host's outputs are open.
    var isOpen: Bool { rawValue > Self.open.rawValue }

    /// The step that plugins make in the stage; nil if none.
    var step: LifecycleStep? {
        switch self {
        case .create: .create
        case .initializeOutputs, .initializeComposers, .initializeSources, .initializeFilters:
            .initialize
        case .describeToOutputs, .describeToComposers, .describeAgain: .track
        case .startOutputs, .startFilters, .startSources: .startSend
        case .open, .run: nil
        }
    }

    /// Whether a plugin makes a step in the stage.
    func includes(_ plugin: PluginEntry.Facts) -> Bool {
        switch self {
        case .create: true
        case .initializeOutputs, .describeToOutputs, .startOutputs:
            plugin.takesTracks && !plugin.isSource
        case .initializeComposers, .describeToComposers: plugin.takesTracks && plugin.isSource
        case .initializeSources: !plugin.takesTracks && plugin.isSource
        case .initializeFilters, .startFilters: !plugin.takesTracks && !plugin.isSource
        case .describeAgain: plugin.takesTracks
        case .startSources: plugin.isSource
        case .open, .run: false
        }
    }
}
