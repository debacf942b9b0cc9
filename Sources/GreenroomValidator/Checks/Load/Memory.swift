extension Catalogue {
    static let memory = Check(
        ofLibrary: "load.memory", "no memory is both writable and executable",
        proving: """
            The ELF file must not ask for an executable stack, have text relocations, or have a \
            segment that is both writable and executable. Loading such a library removes the \
            kernel's protection for the whole process, and the sandbox refuses it.
            """
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
        if segments.contains(where: { $0.isLoaded && $0.isWritable && $0.isExecutable }) {
            return "has a segment that is both writable and executable. Leave -N and such "
                + "linker scripts out."
        }
        if !hasPlainStack {
            return "asks for executable stacks for the whole process: one of its object "
                + "files does not declare a non-executable stack. Link with -Wl,-z,noexecstack, and "
                + "end assembly with .section .note.GNU-stack,\"\",@progbits."
        }
        return nil
    }
}
