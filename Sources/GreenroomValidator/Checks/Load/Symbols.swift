import GreenroomPluginInterface

extension Catalogue {
    static let symbols = Check(
        ofLibrary: "load.symbols", "every name that it uses is found",
        proving: """
            All that the library uses by name is in the libraries that it needs, at once and not \
            only when it is called: plugins are loaded with RTLD_NOW, so that a missing function \
            is found before a session begins.
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
