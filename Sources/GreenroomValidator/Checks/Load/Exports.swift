import GreenroomABI

extension Catalogue {
    static let exports = Check(
        ofLibrary: "load.exports", "exports only its entry",
        rule: "A library exports only greenroom_plugin_entry.",
        why: """
            Other symbols can conflict with other libraries, and keep the linker from \
            removing unused code.
            """,
        measured: """
            The dynamic symbol table. Symbols that Swift and C++ compilers export, such as \
            templates of the standard library, are listed and do not fail the check.
            """,
        fix: "Link with a version script, as greenroom new does, or use -fvisibility=hidden."
    ) { library throws(Verdict) in
        let exports = try library.readFile().exports
        guard !exports.contains(where: { $0.name == "f0r_get_plugin_info" }) else {
            throw .skipped("an effect of frei0r, and exports that interface")
        }
        let names = exports.filter {
            $0.name != GR_ENTRY_SYMBOL && !$0.isLinkers
        }
        let own = names.filter { !$0.isOfSwift && !($0.isOfCxx && $0.isWeak) }.map(\.name)
        guard own.isEmpty else {
            throw .failed(
                "exports \(own.listed(most: 5)) besides \(GR_ENTRY_SYMBOL). Compile it with "
                    + "-fvisibility=hidden, or link it with a version script that has "
                    + "{ global: \(GR_ENTRY_SYMBOL); local: *; };", own)
        }
        let (swift, cxx) = (names.count(where: \.isOfSwift), names.count { !$0.isOfSwift })
        guard !names.isEmpty else { return .passed() }
        let counts = [(swift, "Swift"), (cxx, "C++")].filter { $0.0 > 0 }
        return .warning(
            "exports \(counts.map { "\($0.0) names of \($0.1)" }.joined(separator: " and ")) "
                + "besides its entry, such as \(names[0].name). A version script with "
                + "{ global: \(GR_ENTRY_SYMBOL); local: *; }; makes it smaller.", names.map(\.name))
    }
}

extension ELFFile.Symbol {
    /// Whether a Swift compiler generated the symbol: its name is mangled or of Swift's runtime.
    fileprivate var isOfSwift: Bool {
        ["$s", "$S", "$e", "_$s", "$ld$", "swift_", "_swift_", "__swift_", "symbolic _"].contains {
            name.hasPrefix($0)
        }
    }

    /// Whether the symbol has a mangled C++ name.
    fileprivate var isOfCxx: Bool { name.hasPrefix("_Z") }

    /// Whether linkers add the symbol to every library.
    fileprivate var isLinkers: Bool {
        ["_init", "_fini", "_edata", "_end", "__bss_start", "_DYNAMIC", "_GLOBAL_OFFSET_TABLE_"]
            .contains(name) || name.hasPrefix("__start_") || name.hasPrefix("__stop_")
    }
}

extension [String] {
    /// The first elements as text, and the number of the rest.
    func listed(most: Int) -> String {
        let shown = prefix(most).joined(separator: ", ")
        return count > most ? "\(shown) and \(count - most) more" : shown
    }
}
