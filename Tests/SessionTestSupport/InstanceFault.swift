import Testing

/// A fault of an instance that `malformed.c` makes, and words of the text that the host reports.
package struct InstanceFault: CustomTestStringConvertible, Sendable {
    package var name: String
    package var words: [String]
    package var testDescription: String { name }

    private init(_ name: String, _ words: String...) {
        self.name = name
        self.words = words
    }

    package static let all = [
        InstanceFault("NO_INSTANCE", "create left *plugin NULL"),
        InstanceFault("SHORT_INSTANCE", "struct_size is 48", "sizeof(gr_plugin)"),
        InstanceFault("NULL_DESTROY", "destroy is NULL"),
        InstanceFault("NULL_INITIALIZE", "initialize is NULL"),
        InstanceFault("NULL_START_SEND", "start_send is NULL"),
        InstanceFault("NULL_STOP_SEND", "stop_send is NULL"),
        InstanceFault("NULL_UNINITIALIZE", "uninitialize is NULL"),
        InstanceFault("LIVE_WITHOUT_EXTENSION", "greenroom.live-parameters/1"),
    ]
}
