package import GreenroomABI
package import GreenroomConversion
package import GreenroomNegotiation
package import GreenroomPluginInterface
package import GreenroomMedia

/// One life of a plugin: its functions, wherever it lives.
///
/// Each function is called on the thread that the header names for it and in the order of the
/// lifecycle's table; it returns when the plugin has returned, or has been lost.
package protocol InstanceBackend: Sendable {
    /// Makes the instance. [control]
    ///
    /// - Throws: ``LoadError`` if the plugin can't be had, or breaks a rule of the header.
    func create(_ settings: [Setting]) throws(LoadError) -> Status

    /// What the source says that it can make; empty if it says nothing, and before `create`.
    var capabilities: [VideoCapability] { get }

    /// Whether the plugin wants to hear of new offers.
    var takesNewOffers: Bool { get }

    /// Where frames must lie that the plugin fills or edits; nil for anywhere.
    var pool: FramePool? { get }

    /// What its process is confined by; nil in the host's process, and before `create`.
    var sandbox: [SandboxLayerState]? { get }

    /// Hands over a sender and an offer. [control]
    func initialize(sender: UInt64, offer: Offer?) -> (status: Status, answer: gr_answer)

    /// Makes a new offer. [control]
    func propertyChange(offer: Offer) -> (status: Status, answer: gr_answer)

    /// Changes a live parameter. [control]
    func setParameter(_ setting: Setting) -> Status

    /// The step of that name. [control]
    func startSend() -> Status

    /// The step of that name. [control]
    func stopSend()

    /// The step of that name. [control]
    func uninitialize()

    /// The step of that name. [control]
    func destroy()

    /// Where an extension of the plugin is, by id; nil if it has none of it. [control]
    func address(ofExtension id: String) -> UInt64?

    /// Has a frame edited in place. [media]
    func process(_ frame: inout gr_mutable_frame) -> Status

    /// Ends the life by force where that is possible: calls that are running return. [any]
    func kill()
}

/// A layer of the sandbox around a plugin's process.
package struct SandboxLayerState: Equatable, Sendable {
    package var name: String
    /// `on`, `off` or `unavailable`.
    package var state: String
    /// What it does, or why it is not there.
    package var text: String

    package init(name: String, state: String, text: String) {
        self.name = name
        self.state = state
        self.text = text
    }
}

/// Where a plugin's lives begin.
package protocol PluginFactory: Sendable {
    /// The file that the plugin is in.
    var path: String { get }

    /// Set where lives can begin only once a plugin has arrived by itself.
    var arrivals: (any PeerListener)? { get }

    /// Begins a life; nothing of the plugin runs before ``InstanceBackend/create(_:)``.
    func begin(_ descriptor: PluginDescriptor, in place: InstanceContext) -> any InstanceBackend
}

/// Where in a session a plugin lives, as its life has to know it.
package struct InstanceContext: Sendable {
    /// What the instance is called towards the host.
    package var handle: UInt64
    /// What people call it, e.g. `camera`.
    package var role: String
    /// Whether time stands still while anybody is at work.
    package var hasVirtualClock: Bool
    /// How many frames of it are in use at most; 0 for sound.
    package var frameLimit: Int
    /// How many bytes of memory for frames it has been lent so far.
    package var lentBytes: @Sendable () -> Int
    /// Takes a line that the plugin wrote other than through the host's log.
    package var log: @Sendable (LogLevel, String) -> Void
    /// Takes the news that the plugin is lost, with the evidence in words.
    package var lose: @Sendable (String) -> Void
    /// The rate that was agreed on, in frames a second; nil if none was.
    package var agreedRate: @Sendable () -> Double?
    /// In `create`, before a process is started for the plugin: the step's deadline does not count
    /// until ``didStartProcess``.
    package var startsProcess: @Sendable () -> Void
    /// In `create`, when that process is ready to load the plugin.
    package var didStartProcess: @Sendable () -> Void
    /// Where its control thread is, in words: `in start-send`, or `after start-send`.
    package var whereabouts: @Sendable () -> String?
}
