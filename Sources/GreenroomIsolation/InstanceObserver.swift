package import GreenroomConversion
package import GreenroomIPC
package import GreenroomMedia
import GreenroomPluginInterface
package import GreenroomLifecycle

/// Watches an isolated instance from the host. Only the validator's harness has one.
///
/// It sees what crosses the border of the plugin's process. `RunnerProbe`, which explains why there
/// are two, sees what happens inside.
package protocol InstanceObserver: AnyObject, Sendable {
    /// The layout of the plugin's frames; nil for a session's layout.
    var guarding: FrameGuarding? { get }

    /// Prepares for an instance after its library is loaded, before `create`. [control]
    ///
    /// - Parameters:
    ///   - frames: The memory of the plugin's frames; nil if it has none.
    ///   - call: Calls the runner, and returns its answer; nil if its process is lost. [control]
    func prepare(
        frames: SharedMemory?, call: @escaping @Sendable (Call, WireWriter) -> WireReader?)

    /// Serves a call of the plugin. [the thread that serves the channel]
    ///
    /// - Parameters:
    ///   - channel: Contains the call's message; after `answer`, its answer.
    ///   - frames: The memory of the plugin's frames; nil if it has none.
    ///   - answer: Serves the call as without an observer. Call it once.
    /// - Returns: The length of the answer, as `answer` returned it; nil for an unknown call.
    func serve(
        _ call: Call, on channel: Channel, frames: SharedMemory?, answer: () -> Int?
    ) -> Int?

    /// Records an edited frame. [media]
    ///
    /// - Parameters:
    ///   - channel: Contains the runner's answer to ``Call/process``.
    ///   - length: The answer's, in bytes.
    func didProcess(on channel: Channel, length: Int)

    /// Passes media to an output. [media]
    ///
    /// - Parameters:
    ///   - call: ``Call/takeFrame`` or ``Call/takeBlock``.
    ///   - channel: Contains the call's message.
    ///   - pass: Passes it as without an observer. Call it once.
    /// - Returns: The status that `pass` returned.
    func take(_ call: Call, on channel: Channel, pass: () -> Status) -> Status
}

extension SharedProcess {
    /// The same process; its next instance gets an observer.
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
