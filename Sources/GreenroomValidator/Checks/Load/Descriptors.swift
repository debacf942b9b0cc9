import GreenroomPluginInterface

extension Catalogue {
    static let descriptors = Check(
        ofLibrary: "load.descriptors", "descriptors are well formed",
        rule: "Descriptors are complete, readable and unique.",
        why: "The host lists plugins and checks session files by them.",
        measured: """
            Sizes of at least major version 1, texts in UTF-8 without control characters, \
            known kinds and types, unique names and reverse-domain ids (a-z, 0-9, '-', \
            '.'), and defaults that match type, bounds and choices.
            """,
        fix: "Correct the field that the result names."
    ) { library throws(Verdict) in
        let description: LibraryDescription
        do throws(LoadError) {
            description = try library.load()
        } catch {
            guard error.check(library.file) == "load.descriptors" else {
                throw .hindered(by: error, library.file)
            }
            throw .failed(error.explanation)
        }
        for plugin in description.descriptors {
            if let fault = plugin.fault { throw .failed("\(plugin.name): \(fault)") }
        }
        let remarks = description.descriptors.flatMap { plugin in
            plugin.remarks.map { "\(plugin.name): \($0)" }
        }
        guard let first = remarks.first else { return .passed() }
        return .warning(first, Array(remarks.dropFirst()))
    }
}

extension PluginDescriptor {
    /// A broken rule that hosts tolerate.
    fileprivate var fault: String? {
        let parts = id.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count > 1, !parts.contains("") else {
            return "its id is \"\(id)\", but ids are reverse domains. Use a domain of yours, as in "
                + "\"com.example.\(name.lowercased())\"."
        }
        for parameter in parameters {
            let (count, unique) = (parameter.choices.count, Set(parameter.choices).count)
            guard count == unique else {
                return
                    "\(parameter.name) has \(count) choices, of which \(unique) differ. Remove "
                    + "the duplicates."
            }
        }
        return nil
    }

    /// Hints for the author.
    fileprivate var remarks: [String] {
        var remarks: [String] = []
        let numbers = version.split(separator: ".", omittingEmptySubsequences: false)
        if numbers.count != 3
            || !numbers.allSatisfy({ Int($0.prefix { $0 != "-" && $0 != "+" }) != nil })
        {
            remarks.append("its version is \"\(version)\". Write it as in \"1.2.3\".")
        }
        for parameter in parameters where parameter.bounds != nil {
            if parameter.type != .integer && parameter.type != .number {
                remarks.append(
                    "\(parameter.name) has bounds, which apply to integers and numbers only.")
            }
        }
        return remarks
    }
}
