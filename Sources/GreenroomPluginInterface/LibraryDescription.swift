package import GreenroomMedia

/// What a shared library says of itself: a value, which holds nothing of the library.
package struct LibraryDescription: Equatable, Sendable {
    /// The file.
    package var path: String
    /// The minor version of the interface that it was built for.
    package var minorVersion: Int
    /// Its plugins, in its own order.
    package var descriptors: [PluginDescriptor]

    package init(path: String, minorVersion: Int, descriptors: [PluginDescriptor]) {
        self.path = path
        self.minorVersion = minorVersion
        self.descriptors = descriptors
    }

    /// The plugin with a name or id; of a kind, if one is asked for.
    package subscript(name: String, kind: PluginKind?) -> PluginDescriptor? {
        descriptors.first {
            ($0.name == name || $0.id == name) && (kind == nil || $0.kind == kind)
        }
    }
}
