import GreenroomHost
import GreenroomIsolation
import GreenroomMedia
import GreenroomPluginInterface
import GreenroomSystem

/// An argument that names a plugin: by name or id, or by its library's file, with `#NAME` if the
/// library has several.
struct PluginArgument {
    /// The plugin in the form of session files: with a slash if it is a file.
    let place: String

    /// - Parameter text: The argument.
    init(_ text: String) {
        // A file name in the working folder means a library.
        let file = Self.file(of: text)
        let isFileHere =
            !text.contains("/")
            && (file.hasSuffix(".so") || file.contains(".so.") || file.hasSuffix(".py"))
        place = isFileHere ? "./\(text)" : text
    }

    /// The library's file as given; nil if the argument is a plugin's name or id.
    var file: String? { place.contains("/") ? Self.file(of: place) : nil }

    /// The plugin in the file; nil if not given.
    var nameInFile: String? {
        guard file != nil, let mark = place.firstIndex(of: "#") else { return nil }
        return String(place[place.index(after: mark)...])
    }

    private static func file(of text: String) -> String { String(text.prefix { $0 != "#" }) }
}

extension PluginLocator {
    /// Finds the plugin.
    ///
    /// - Parameter folder: The absolute folder of relative paths.
    func find(
        _ plugin: PluginArgument, relativeTo folder: String
    ) throws(ExitError) -> (library: LibraryDescription, descriptor: PluginDescriptor) {
        do throws(LoadError) {
            return try find(plugin.place, kind: nil, relativeTo: folder)
        } catch {
            throw ExitError(.badFile, explain(error, plugin.place))
        }
    }

    /// Finds the plugins that an argument can mean: all of a file, and all of one name in a library, because a
    /// camera and a microphone may have one name.
    ///
    /// - Parameter folder: The absolute folder of relative paths.
    func find(
        all plugin: PluginArgument, relativeTo folder: String
    ) throws(ExitError) -> (library: LibraryDescription, descriptors: [PluginDescriptor]) {
        guard let file = plugin.file, plugin.nameInFile == nil else {
            let (library, found) = try find(plugin, relativeTo: folder)
            let isName = (plugin.nameInFile ?? plugin.place) == found.name
            return (
                library,
                library.descriptors.filter { $0 == found || isName && $0.name == found.name }
            )
        }
        do throws(LoadError) {
            // The sandbox of a script needs its absolute path.
            let library = try examine(
                ScriptInterpreter.runs(file) ? absolutePath(file, from: folder) : file)
            return (library, library.descriptors)
        } catch {
            throw ExitError(.badFile, "\(error)")
        }
    }
}
