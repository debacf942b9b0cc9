import GreenroomHost
import GreenroomSession
import GreenroomPluginInterface
import GreenroomMedia

/// A plugin as an argument names it: by its name or id, or by its library's file, with `#NAME` behind
/// that if it has several.
struct PluginArgument {
    /// As session files have it: with a slash in it if it is a file.
    let place: String

    /// - Parameter text: The argument.
    init(_ text: String) {
        // A library in this folder is meant by its file's name alone.
        let file = Self.file(of: text)
        let isFileHere = !text.contains("/") && (file.hasSuffix(".so") || file.contains(".so."))
        place = isFileHere ? "./\(text)" : text
    }

    /// The library's file, as it was named; nil for a plugin's name or id.
    var file: String? { place.contains("/") ? Self.file(of: place) : nil }

    /// The plugin of the file that is meant; nil if that is not said.
    var nameInFile: String? {
        guard file != nil, let mark = place.firstIndex(of: "#") else { return nil }
        return String(place[place.index(after: mark)...])
    }

    private static func file(of text: String) -> String { String(text.prefix { $0 != "#" }) }
}

extension PluginLocator {
    /// Finds the plugin that an argument names.
    ///
    /// - Parameter folder: The absolute folder that relative paths start from.
    func find(
        _ plugin: PluginArgument, relativeTo folder: String
    ) throws(Failure) -> (library: LibraryDescription, descriptor: PluginDescriptor) {
        do throws(LoadError) {
            return try find(plugin.place, kind: nil, relativeTo: folder)
        } catch {
            throw Failure(.badFile, explain(error, plugin.place))
        }
    }
}
