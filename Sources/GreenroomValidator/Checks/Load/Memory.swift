import GreenroomPluginInterface

extension Catalogue {
    static let memory = Check(
        ofLibrary: "load.memory", "no memory is both writable and executable",
        rule: "No memory is both writable and executable.",
        why: """
            Loading such a library removes the kernel's protection for the whole process, \
            so the sandbox refuses it.
            """,
        measured: """
            The ELF file: no executable stack, no text relocations, no segment that is \
            both writable and executable.
            """,
        fix: "Build with -fPIC, and mark assembler files with .note.GNU-stack."
    ) { library throws(Verdict) in
        if let fault = try library.readFile().memoryFault { throw .failed(fault) }
        return .passed()
    }
}

extension ELFFile {
    /// The fault if memory is both writable and executable; nil if none.
    var memoryFault: String? {
        if hasTextRelocations {
            return "has relocations in its code (TEXTREL), which must be writable for that. "
                + "Compile all of it with -fPIC."
        }
        if library.segments.contains(where: { $0.isLoaded && $0.isWritable && $0.isExecutable }) {
            return "has a segment that is both writable and executable. Leave -N and such "
                + "linker scripts out."
        }
        if !library.hasPlainStack {
            return "asks for executable stacks for the whole process: one of its object "
                + "files does not declare a non-executable stack. Link with -Wl,-z,noexecstack, and "
                + "end assembly with .section .note.GNU-stack,\"\",@progbits."
        }
        return nil
    }
}
