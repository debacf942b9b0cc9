package import GreenroomModel
package import GreenroomABI
package import GreenroomConversion
package import GreenroomPluginInterface
package import GreenroomMedia
package import GreenroomRuntime
import GreenroomVideo

/// One life of a plugin: the plugin's functions, in any process.
///
/// The header names the thread of each function; the lifecycle's table defines the order. A
/// function returns when the plugin has returned or is lost.
package protocol InstanceBackend: AnyObject, Sendable {
    /// Creates the instance. [control]
    ///
    /// - Throws: ``LoadError`` if the plugin cannot be loaded or breaks a rule of the header.
    func create(_ settings: [PluginSetting]) throws(LoadError) -> Status

    /// The capabilities that the source declares; empty before `create` or if it declares none.
    var capabilities: [VideoCapability] { get }

    /// The declaration of an audio pre-processor; nil for other kinds, and before `create`.
    var audioEditing: AudioEditing? { get }

    /// Whether the plugin implements `property_change`.
    var takesNewOffers: Bool { get }

    /// The pool of frames that the plugin fills or edits; nil if any memory is allowed.
    var pool: FramePool? { get }

    /// Whether every thread of the plugin's process is asleep. [any]
    var isAtRest: Bool { get }

    /// Whether the plugin has its own process, whose exit frees its memory.
    var isIsolated: Bool { get }

    /// Whether a debugger is attached to the plugin's process and may have stopped it. [any]
    var isDebugged: Bool { get }

    /// A sentence about an obstacle to its process that the host sees; nil if none. [any]
    var hindrance: String? { get }

    /// The longest time for which a thread of the plugin's process was ready to run while no
    /// processor was free, in nanoseconds; nil in the host's process. [any]
    var processorWaitNanoseconds: Int64? { get }

    /// The bytes of frame memory that the plugin's process has mapped and does not own.
    var lentByteCount: Int { get }

    /// The bytes of memory without frames that the plugin's process still maps.
    var endedByteCount: Int { get }

    /// The layers of the process's sandbox; nil in the host's process, and before `create`.
    var sandbox: [SandboxLayerState]? { get }

    /// Calls a function of the plugin. [control]
    ///
    /// - Returns: The plugin's reply, with the status `gone` if its process is lost.
    @discardableResult func perform(_ call: PluginCall) -> PluginReply

    /// Edits a frame in place. [media]
    func process(_ frame: inout gr_mutable_frame) -> Status

    /// Edits a block of audio in place. [media]
    func edit(_ block: inout gr_audio_edit) -> Status

    /// Passes a frame to an output. [media]
    ///
    /// - Parameter memory: ``VideoFrame/sharedMemory`` of the frame.
    /// - Returns: The plugin's status; nil if the process has no room for the memory, so the plugin
    ///   was not called.
    func take(_ frame: inout gr_output_frame, in memory: (any AnyObject & Sendable)?) -> Status?

    /// Passes a block of audio to an output. [media]
    func take(_ block: inout gr_output_block) -> Status

    /// Notifies the plugin's process that its sender or its lent frame has changed. [any]
    ///
    /// - Parameter sends: Whether the sender accepts frames.
    func senderChanged(sends: Bool)

    /// Kills the life if possible. Running calls return. [any]
    func kill()
}

extension InstanceBackend {
    /// Whether every thread of this process is asleep.
    package var isAtRest: Bool { ThreadStates.allSleep() }
    package var isIsolated: Bool { false }
    package var isDebugged: Bool { false }
    package var hindrance: String? { nil }
    package var processorWaitNanoseconds: Int64? { nil }
    package var lentByteCount: Int { pool?.heldByteCount ?? 0 }
    package var endedByteCount: Int { 0 }

    package var capabilities: [VideoCapability] { [] }
    package var audioEditing: AudioEditing? { nil }
    package var takesNewOffers: Bool { false }
    package var pool: FramePool? { nil }
    package var sandbox: [SandboxLayerState]? { nil }

    /// Refuses the frame: the plugin is not a pre-processor.
    package func process(_ frame: inout gr_mutable_frame) -> Status { .unsupported }

    /// Refuses the block: the plugin is not an audio pre-processor.
    package func edit(_ block: inout gr_audio_edit) -> Status { .unsupported }

    /// Refuses the frame: the plugin is not an output.
    package func take(
        _ frame: inout gr_output_frame, in memory: (any AnyObject & Sendable)?
    ) -> Status? { .unsupported }

    /// Refuses the block: the plugin is not an output.
    package func take(_ block: inout gr_output_block) -> Status { .unsupported }

    /// Does nothing: a plugin in this process queries the sender each time.
    package func senderChanged(sends: Bool) {}

    /// Does nothing: a callback in this process cannot be killed.
    package func kill() {}
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

/// Creates the lives of a plugin.
package protocol PluginFactory: Sendable {
    /// The plugin's file.
    var path: String { get }

    /// The listener for a plugin that connects by itself; nil for other plugins.
    var arrivals: (any PeerListener)? { get }

    /// The allocator of frames that an output's instances can read; nil if any memory is allowed.
    var allocator: (any FrameAllocator)? { get }

    /// The sockets that the host connects for an instance.
    var connections: ConnectionGrants { get }

    /// The time limit of loading the plugin before `create`, in nanoseconds, if loading has its own; else 0.
    var loadingLimit: Int64 { get }

    /// Begins a life. The plugin's code runs from ``InstanceBackend/create(_:)`` on.
    func begin(_ descriptor: PluginDescriptor, in place: InstanceContext) -> any InstanceBackend
}

extension PluginFactory {
    package var allocator: (any FrameAllocator)? { nil }
    package var connections: ConnectionGrants { .nothing }
    package var loadingLimit: Int64 { 0 }
}

/// The session data that a plugin instance needs.
package struct InstanceContext: Sendable {
    /// The instance's handle for calls of the host.
    package var handle: UInt64
    /// The role in messages, e.g. `camera`.
    package var role: String
    /// Whether the session has a virtual clock.
    package var hasVirtualClock: Bool
    /// The ids of the host's extensions for the plugin.
    package var extensions: [String]
    /// The most frames of the plugin in use; 0 for audio.
    package var frameLimit: Int
    /// The bytes of frames lent so far.
    package var lentBytes: @Sendable () -> Int
    /// The clock that times code that may hang.
    package var clock: HostClock
    /// Receives a line that the plugin wrote outside the host's log.
    package var log: @Sendable (LogLevel, String) -> Void
    /// Receives a warning that repeats in each life. The session logs it once.
    package var warnOnce: @Sendable (String) -> Void
    /// Makes the session check its plugins.
    package var wake: @Sendable () -> Void
    /// Called when the plugin is lost, with the reason.
    package var lose: @Sendable (String) -> Void
    /// The agreed frame rate; nil if none is agreed.
    package var agreedRate: @Sendable () -> Double?
    /// Called in `create`, before a process is started for the plugin. The step's deadline is
    /// suspended until ``didStartProcess``.
    package var startsProcess: @Sendable () -> Void
    /// Called in `create`, when the process is ready to load the plugin.
    package var didStartProcess: @Sendable () -> Void
    /// The position of the control thread, as text: `in start-send`, or `after start-send`.
    package var whereabouts: @Sendable () -> String?
}
