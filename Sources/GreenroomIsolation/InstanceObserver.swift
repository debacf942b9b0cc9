package import GreenroomABI
package import GreenroomConversion
package import GreenroomIPC
package import GreenroomMedia
package import GreenroomPluginInterface
package import GreenroomLifecycle

/// Observes an isolated instance from the host. Only the validator's harness has an observer.
///
/// The observer sees the calls between the processes. `RunnerProbe` sees the calls inside the
/// plugin's process, and explains the reason for both.
package protocol InstanceObserver: AnyObject, Sendable {
    /// The layout of the plugin's frames; nil if the session's.
    var guarding: FrameGuarding? { get }

    /// Prepares for an instance after its library is loaded, before `create`. [control]
    ///
    /// - Parameters:
    ///   - frames: The memory of the plugin's frames; nil if it has none.
    ///   - call: Calls the runner, and returns the runner's answer; nil if the process is lost.
    ///     [control]
    func prepare(
        frames: SharedMemory?, call: @escaping @Sendable (RemoteCall, WireWriter) -> WireReader?)

    /// Serves a call of the plugin. [the thread that serves the channel]
    ///
    /// - Parameters:
    ///   - call: The call, whose value has the results after `perform`.
    ///   - channel: The channel, which contains the planes of a lease after `perform`.
    ///   - frames: The memory of the plugin's frames; nil if it has none.
    ///   - perform: Performs the call as without an observer. Call `perform` once.
    /// - Returns: The status that `perform` returned; nil if the plugin is lost.
    func serve(
        _ call: inout HostCall, on channel: Channel, frames: SharedMemory?,
        perform: (inout HostCall) -> gr_status?
    ) -> gr_status?

    /// Records an edited frame. [media]
    ///
    /// - Parameters:
    ///   - channel: The channel, which contains the runner's answer to ``RemoteCall/process``.
    ///   - length: The length of the answer, in bytes.
    func didProcess(on channel: Channel, length: Int)

    /// Passes media to an output. [media]
    ///
    /// - Parameters:
    ///   - call: ``RemoteCall/takeFrame`` or ``RemoteCall/takeBlock``.
    ///   - channel: Contains the call's message.
    ///   - pass: Passes the media as without an observer. Call `pass` once.
    /// - Returns: The status that `pass` returned.
    func take(_ call: RemoteCall, on channel: Channel, pass: () -> Status) -> Status
}

extension SharedProcess {
    /// Returns the same process with an observer for its next instance.
    package func observed(by observer: any InstanceObserver) -> any PluginFactory {
        ObservedProcess(process: self, observer: observer)
    }
}

/// A shared process with an observer for one of its instances.
private struct ObservedProcess: RunnerFactory {
    let process: SharedProcess
    let observer: (any InstanceObserver)?

    var path: String { process.path }

    func begin(
        _ descriptor: PluginDescriptor, in context: InstanceContext
    ) -> any InstanceBackend {
        process.countLentBytes(of: context)
        return IsolatedPlugin(self, descriptor, context)
    }

    func start(
        _ frames: SharedMemory?, in context: InstanceContext
    ) throws(LoadError) -> any RunnerProcess {
        try process.start(frames, in: context, observer: observer)
    }
}
