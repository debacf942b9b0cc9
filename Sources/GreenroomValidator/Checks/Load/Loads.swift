import GreenroomPluginInterface

extension Catalogue {
    /// The check on which all other checks depend.
    static let loads = Check(
        ofLibrary: "load.loads", "the library loads",
        proving: """
            The library is loaded with RTLD_NOW in a sandboxed process of its own with no grants. \
            It must be built for this machine, export greenroom_plugin_entry, and its \
            constructors, entry and descriptors must return within 5 seconds without a crash. \
            Hosts do the same to list plugins.
            """
    ) { library throws(Verdict) in
        if case .failure(let problem) = library.file {
            throw .failed("\(problem.description)")
        }
        do throws(LoadError) {
            let count = try library.load().descriptors.count
            return .passed("\(count) plugin\(count == 1 ? "" : "s")")
        } catch {
            let check = error.check(library.file)
            guard check == "load.loads" else { throw .hindered(by: error, library.file) }
            if error.code == .noRunner { throw .notProven(error.explanation) }
            throw error.code == .crashes
                ? .crashed(error.explanation) : .failed(error.explanation)
        }
    }

    static let entry = Check(
        ofLibrary: "load.entry", "the entry is valid",
        proving: """
            greenroom_plugin_entry() must return an entry whose struct_size is at least that of \
            major 1, whose abi_major is the host's, with 1 to 256 plugins and both functions set. \
            plugin.h, VERSIONS: the writer sets struct_size to its own sizeof, and a host accepts \
            every plugin of its major.
            """
    ) { library throws(Verdict) in
        do throws(LoadError) {
            _ = try library.load()
            return .passed()
        } catch {
            guard error.check(library.file) == "load.entry" else {
                throw .hindered(by: error, library.file)
            }
            throw .failed(error.explanation)
        }
    }
}
