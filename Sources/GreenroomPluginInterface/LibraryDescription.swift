package import GreenroomMedia

/// The description of a shared library: a value without references into the library.
package struct LibraryDescription: Equatable, Sendable {
    /// The file.
    package var path: String
    /// The minor version of the interface for which the library was built.
    package var minorVersion: Int
    /// The library's plugins, in the library's order.
    package var descriptors: [PluginDescriptor]

    package init(path: String, minorVersion: Int, descriptors: [PluginDescriptor]) {
        self.path = path
        self.minorVersion = minorVersion
        self.descriptors = descriptors
    }

    /// The plugin with a name or id, and of a kind if given.
    package subscript(name: String, kind: PluginKind?) -> PluginDescriptor? {
        descriptors.first {
            ($0.name == name || $0.id == name) && (kind == nil || $0.kind == kind)
        }
    }
}
