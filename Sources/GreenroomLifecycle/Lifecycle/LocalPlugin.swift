import GreenroomABI
package import GreenroomPluginInterface
import GreenroomMedia
import Synchronization

/// A life in the host's process.
final class LocalPlugin: InstanceBackend {
    private let library: PluginLibrary
    private let descriptor: PluginDescriptor
    private let handle: UInt64
    /// The plugin's functions, written by `create` before any other function is called.
    private let functions = Mutex<PluginFunctions?>(nil)

    init(_ library: PluginLibrary, _ descriptor: PluginDescriptor, handle: UInt64) {
        self.library = library
        self.descriptor = descriptor
        self.handle = handle
    }

    func create(_ settings: [PluginSetting]) throws(LoadError) -> Status {
        let (status, made) = try library.create(
            descriptor, handle: handle, settings: settings)
        functions.withLock { $0 = made }
        return status
    }

    /// The plugin's functions, to call outside the lock.
    private var made: PluginFunctions? { functions.withLock { $0 } }

    var capabilities: [VideoCapability] { made?.capabilities ?? [] }
    var audioEditing: AudioEditing? { made?.audioEditing }
    var takesNewOffers: Bool { made?.takesNewOffers ?? false }

    func perform(_ call: PluginCall) -> PluginReply {
        made?.perform(call) ?? PluginReply(to: call, .gone)
    }

    func process(_ frame: inout gr_mutable_frame) -> Status { made?.process(&frame) ?? .gone }
    func edit(_ block: inout gr_audio_edit) -> Status { made?.edit(&block) ?? .gone }
    func take(_ frame: inout gr_output_frame, in memory: (any AnyObject & Sendable)?) -> Status? {
        made?.take(&frame) ?? .gone
    }
    func take(_ block: inout gr_output_block) -> Status { made?.take(&block) ?? .gone }
}

extension PluginLibrary: PluginFactory {
    package var connections: ConnectionGrants { .everything }

    package func begin(
        _ descriptor: PluginDescriptor, in place: InstanceContext
    ) -> any InstanceBackend {
        LocalPlugin(self, descriptor, handle: place.handle)
    }
}
