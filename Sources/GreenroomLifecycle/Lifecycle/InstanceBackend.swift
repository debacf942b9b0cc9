package import GreenroomConnections
package import GreenroomEvents
package import GreenroomABI
package import GreenroomConversion
package import GreenroomNegotiation
package import GreenroomPluginInterface
package import GreenroomMedia
package import GreenroomRuntime
import GreenroomVideo

/// One life of a plugin: its functions, in any process.
///
/// Functions are called on the thread that the header names, in the order of the lifecycle's table.
/// They return when the plugin has returned, or is lost.
package protocol InstanceBackend: AnyObject, Sendable {
    /// Creates the instance. [control]
    ///
    /// - Throws: ``LoadError`` if the plugin can't be loaded, or breaks a rule of the header.
    func create(_ settings: [Setting]) throws(LoadError) -> Status

    /// The capabilities that the source declares; empty before `create` or if it declares none.
    var capabilities: [VideoCapability] { get }

    /// The declaration of an audio pre-processor; nil for other kinds, and before `create`.
    var audioEditing: AudioEditing? { get }

    /// Whether the plugin implements `property_change`.
    var takesNewOffers: Bool { get }

    /// The pool of frames that the plugin fills or edits; nil for any memory.
    var pool: FramePool? { get }

    /// Whether no thread of its process runs. [any]
    var isAtRest: Bool { get }

    /// Whether it is in a process of its own, whose end takes its memory.
    var isIsolated: Bool { get }

    /// Whether a debugger has its process, which may then stand still. [any]
    var isDebugged: Bool { get }

    /// A sentence about an obstacle to its process that the host sees; nil if none. [any]
    var hindrance: String? { get }

    /// Bytes of frames that its process has mapped and that are not its own.
    var lentByteCount: Int { get }

    /// Bytes of memory whose frames have ended, and that its process still has.
    var endedByteCount: Int { get }

    /// The sandbox of its process; nil in the host's process, and before `create`.
    var sandbox: [SandboxLayerState]? { get }

    /// Passes a sender and an offer. [control]
    func initialize(sender: UInt64, offer: Offer?) -> (status: Status, answer: gr_answer)

    /// Passes a new offer. [control]
    func propertyChange(offer: Offer) -> (status: Status, answer: gr_answer)

    /// Changes a live parameter. [control]
    func setParameter(_ setting: Setting) -> Status

    /// Calls the function of this name. [control]
    func startSend() -> Status

    /// Calls the function of this name. [control]
    func stopSend()

    /// Calls the function of this name. [control]
    func uninitialize()

    /// Calls the function of this name. [control]
    func destroy()

    /// The address of an extension of the plugin, by id; nil if it has none. [control]
    func address(ofExtension id: String) -> UInt64?

    /// Edits a frame in place. [media]
    func process(_ frame: inout gr_mutable_frame) -> Status

    /// Edits a block of audio in place. [media]
    func edit(_ block: inout gr_audio_edit) -> Status

    /// Describes a track to an output, which writes what it wants of it. [control]
    func describe(_ track: OutputTrack, _ want: inout gr_want) -> Status

    /// Passes a frame to an output. [media]
    ///
    /// - Parameter memory: ``VideoFrame/sharedMemory`` of the frame.
    /// - Returns: nil if its process has no room for that memory: the plugin was not called.
    func take(_ frame: inout gr_output_frame, in memory: (any AnyObject & Sendable)?) -> Status?

    /// Passes a block of audio to an output. [media]
    func take(_ block: inout gr_output_block) -> Status

    /// Tells an output that a participant's track has ended. [control]
    func trackEnded(_ track: UInt32)

    /// Says to a call what is needed of a participant's track. [control]
    func demand(_ demand: Demand)

    /// Passes an event of the session to a plugin that may control it, as JSON. [control]
    func event(_ json: String)

    /// Lets its process know that its sender, or what it is lent, has changed. [any]
    ///
    /// - Parameter sends: Whether the sender takes frames.
    func senderChanged(sends: Bool)

    /// Ends the life by force, if possible: running calls return. [any]
    func kill()
}

extension InstanceBackend {
    /// Whether no thread of this process runs.
    package var isAtRest: Bool { ThreadStates.allSleep() }
    package var isIsolated: Bool { false }
    package var isDebugged: Bool { false }
    package var hindrance: String? { nil }
    package var lentByteCount: Int { pool?.heldByteCount ?? 0 }
    package var endedByteCount: Int { 0 }

    package var audioEditing: AudioEditing? { nil }

    /// Edits nothing: the plugin is not an audio pre-processor.
    package func edit(_ block: inout gr_audio_edit) -> Status { .unsupported }

    /// Wants nothing: it is no output.
    package func describe(_ track: OutputTrack, _ want: inout gr_want) -> Status { .unsupported }

    /// Takes nothing: it is no output.
    package func take(
        _ frame: inout gr_output_frame, in memory: (any AnyObject & Sendable)?
    ) -> Status? { .unsupported }

    /// Takes nothing: it is no output.
    package func take(_ block: inout gr_output_block) -> Status { .unsupported }

    /// Does nothing: it is no output.
    package func trackEnded(_ track: UInt32) {}

    /// Does nothing: it is no call.
    package func demand(_ demand: Demand) {}

    /// Does nothing: it takes no events.
    package func event(_ json: String) {}

    /// Does nothing: a plugin in this process asks each time.
    package func senderChanged(sends: Bool) {}
}

/// A layer of the sandbox around a plugin's process.
package struct SandboxLayerState: Equatable, Sendable {
    package var name: String
    /// `on`, `off` or `unavailable`.
    package var state: String
    /// The effect of the layer, or the reason that it is off.
    package var text: String

    package init(name: String, state: String, text: String) {
        self.name = name
        self.state = state
        self.text = text
    }
}

/// Creates a plugin's lives.
package protocol PluginFactory: Sendable {
    /// The plugin's file.
    var path: String { get }

    /// Set for a plugin that connects by itself.
    var arrivals: (any PeerListener)? { get }

    /// Allocates the frames that the instances of an output can read; nil for any memory.
    var allocator: (any FrameAllocator)? { get }

    /// The sockets that the host connects for an instance.
    var connections: ConnectionGrants { get }

    /// Begins a life; the plugin's code runs from ``InstanceBackend/create(_:)`` on.
    func begin(_ descriptor: PluginDescriptor, in place: InstanceContext) -> any InstanceBackend
}

extension PluginFactory {
    package var allocator: (any FrameAllocator)? { nil }
    package var connections: ConnectionGrants { .nothing }
}

/// The session data that a plugin instance needs.
package struct InstanceContext: Sendable {
    /// The instance's handle for calls of the host.
    package var handle: UInt64
    /// The role in messages, e.g. `camera`.
    package var role: String
    /// Whether the session has a virtual clock.
    package var hasVirtualClock: Bool
    /// Whether it may control the session.
    package var mayControl: Bool
    /// Limit of its frames in use; 0 for audio.
    package var frameLimit: Int
    /// Bytes of frames lent so far.
    package var lentBytes: @Sendable () -> Int
    /// Times what may hang.
    package var clock: HostClock
    /// Receives a line that the plugin wrote outside the host's log.
    package var log: @Sendable (LogLevel, String) -> Void
    /// Receives a warning that is the same in each life: it is logged once in the session.
    package var warnOnce: @Sendable (String) -> Void
    /// Called when the plugin is lost, with the reason.
    package var lose: @Sendable (String) -> Void
    /// The agreed frame rate; nil if there is none.
    package var agreedRate: @Sendable () -> Double?
    /// In `create`, before a process is started for the plugin: the step's deadline does not count
    /// until ``didStartProcess``.
    package var startsProcess: @Sendable () -> Void
    /// In `create`, when that process is ready to load the plugin.
    package var didStartProcess: @Sendable () -> Void
    /// Where its control thread is, in words: `in start-send`, or `after start-send`.
    package var whereabouts: @Sendable () -> String?
}
