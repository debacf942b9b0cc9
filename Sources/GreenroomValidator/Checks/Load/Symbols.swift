import GreenroomPluginInterface

extension Catalogue {
    static let symbols = Check(
        ofLibrary: "load.symbols", "every symbol resolves",
        rule: "Every symbol resolves when the library loads.",
        why: """
            Plugins are loaded with RTLD_NOW, so that a missing function shows before a \
            session begins and not at the first call.
            """,
        measured: "All undefined symbols of the library.",
        fix: """
            Link every library that the plugin uses; -Wl,-z,defs finds missing ones at \
            build time.
            """
    ) { library throws(Verdict) in
        do throws(LoadError) {
            _ = try library.load()
            return .passed()
        } catch {
            guard error.check(library.file) == "load.symbols" else {
                throw .hindered(by: error, library.file)
            }
            throw .failed("\(error.explanation) Linking with -Wl,-z,defs finds such names.")
        }
    }
}
