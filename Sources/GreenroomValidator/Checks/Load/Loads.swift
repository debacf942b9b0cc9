import GreenroomPluginInterface

extension Catalogue {
    /// What all others build on.
    static let loads = Check(
        ofLibrary: "load.loads", "it can be loaded",
        proving: """
            The library is loaded into a process of its own, in the sandbox and with nothing \
            granted, with RTLD_NOW: it is for this machine, exports greenroom_plugin_entry, and \
            its constructors, its entry and its descriptors return within 5 seconds and crash \
            nothing. A host that only looks what plugins there are does the same.
            """
    ) { library throws(Verdict) in
        if case .failure(let problem) = library.file {
            throw .failed("\(problem.explanation)")
        }
        do throws(LoadError) {
            let count = try library.load().descriptors.count
            return .passed("\(count) plugin\(count == 1 ? "" : "s")")
        } catch {
            let check = error.check(library.file)
            guard check == "load.loads" else { throw .hindered(by: error, library.file) }
            if error.code == .noRunner { throw .skipped(error.explanation) }
            throw error.code == .crashes
                ? .crashed(error.explanation) : .failed(error.explanation)
        }
    }

    static let entry = Check(
        ofLibrary: "load.entry", "the entry is sane",
        proving: """
            greenroom_plugin_entry() returns an entry whose struct_size is that of major 1 or \
            larger, whose abi_major is this host's, with 1 to 256 plugins, and with both of its \
            functions. plugin.h, VERSIONS: the writer sets struct_size to its own sizeof, and a \
            host accepts every plugin of its major.
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
