package import GreenroomConversion
package import GreenroomIPC
import GreenroomMedia
import GreenroomPluginInterface
package import GreenroomSession

/// Watches an isolated instance. The validator's harness is the only observer; a session has none.
package protocol InstanceObserver: Sendable {
    /// The layout of the plugin's frames; nil for that of a session.
    var guarding: FrameGuarding? { get }

    /// Prepares for an instance whose library is loaded and which is about to be created. [control]
    ///
    /// - Parameters:
    ///   - frames: The memory that the plugin's frames lie in; nil if it has none.
    ///   - call: Calls the runner, and returns its answer; nil if its process is lost. [control]
    func prepare(
        frames: SharedMemory?, call: @escaping @Sendable (Call, WireWriter) -> WireReader?)

    /// Serves a call that the plugin makes. [the thread that serves the channel]
    ///
    /// - Parameters:
    ///   - channel: Has the call's message, and the answer's once `answer` has returned.
    ///   - frames: The memory that the plugin's frames lie in; nil if it has none.
    ///   - answer: Makes the call, as it is made without an observer. It must be called once.
    /// - Returns: What `answer` returned: the length of the answer; nil for no call of the interface.
    func serve(
        _ call: Call, on channel: Channel, frames: SharedMemory?, answer: () -> Int?
    ) -> Int?

    /// Takes note of a frame that the plugin has edited. [media]
    ///
    /// - Parameters:
    ///   - channel: Has the runner's answer to ``Call/process``.
    ///   - length: The answer's, in bytes.
    func didProcess(on channel: Channel, length: Int)
}

extension SharedProcess {
    /// The same process, with an observer of the instance that begins through it.
    package func observed(by observer: any InstanceObserver) -> any PluginFactory {
        ObservedProcess(process: self, observer: observer)
    }
}

/// A shared process together with the observer of one of its instances.
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
