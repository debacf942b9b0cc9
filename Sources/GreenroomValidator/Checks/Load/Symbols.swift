import GreenroomPluginInterface

extension Catalogue {
    static let symbols = Check(
        ofLibrary: "load.symbols", "every symbol resolves",
        proving: """
            Every undefined symbol must resolve at load time, not at the first call: plugins are \
            loaded with RTLD_NOW, so that a missing function shows before a session begins.
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
