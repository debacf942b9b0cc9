import GreenroomPluginInterface

extension Catalogue {
    /// The check on which all other checks depend.
    static let loads = Check(
        ofLibrary: "load.loads", "the library loads",
        rule: "The library loads without grants, and its descriptors can be read.",
        why: "Hosts do the same to list plugins.",
        measured: """
            RTLD_NOW in a sandboxed process, for this machine; constructors, entry and \
            descriptors must return within 5 seconds without a crash.
            """,
        fix: """
            Build for this machine, export greenroom_plugin_entry, and keep work out of \
            constructors.
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
        rule: "greenroom_plugin_entry() returns a valid entry.",
        why: """
            The writer sets struct_size to its own sizeof, and a host accepts every plugin \
            of its major.
            """,
        measured: """
            struct_size of at least major 1, abi_major of the host, 1 to 256 plugins, and \
            both functions set.
            """,
        fix: "Fill the struct as the macro or the templates do."
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
