import GreenroomSchema

/// A libyaml error, rewritten with the fix.
struct YAMLSyntaxProblem {
    /// The fault and the fix.
    var message: String
    /// Whether the fault is better shown where the thing began that is broken.
    var isAtContext = false

    private static let openings: [Unicode.Scalar: Unicode.Scalar] = ["}": "{", "]": "["]

    /// - Parameters:
    ///   - problem: libyaml's problem.
    ///   - context: The step of libyaml that failed.
    ///   - line: The line of the problem.
    ///   - column: The column of the problem, from 1.
    init(_ problem: String, context: String?, line: String, column: Int) {
        let scalars = Array(line.unicodeScalars)
        let indentation = scalars.prefix { $0 == " " || $0 == "\t" }
        let found = scalars.indices.contains(column - 1) ? scalars[column - 1] : nil
        if problem.contains("tab character") || indentation.contains("\t") || found == "\t" {
            message = "a tab: YAML indents with spaces. Replace it."
            return
        }
        let isInFlow = problem.hasPrefix("did not find expected ',' or ")
        if isInFlow, let found, "[{".unicodeScalars.contains(found), column > 1,
            scalars.indices.contains(column - 2),
            !" \t,:[{\"'".unicodeScalars.contains(scalars[column - 2])
        {
            message =
                "\"\(found)\" ends a text here, because the text stands inside { } or [ ]. Put the text in "
                + "quotes."
            return
        }
        if !isInFlow, let found, let opening = Self.openings[found] {
            message = "a \"\(found)\" without its \"\(opening)\". Remove it."
            return
        }
        switch problem {
        case "found unexpected end of stream" where context == "while scanning a quoted scalar":
            message = "the quote that begins here has no end. Close it."
            isAtContext = true
        case "found unexpected document indicator" where context == "while scanning a quoted scalar":
            message = "the quote that begins here has no end. Close it."
            isAtContext = true
        case "found unknown escape character":
            message =
                "an unknown escape in a text in double quotes. Write \\\\ for a backslash, "
                + "or use single quotes."
            isAtContext = context == "while parsing a quoted scalar"
        case "could not find expected ':'":
            message = "missing \": \" after the key. Write key: value."
            isAtContext = true
        case "mapping values are not allowed in this context":
            message =
                "\": \" is not allowed here. Quote a text that contains it, and indent the keys of "
                + "a section alike."
        case "did not find expected key", "did not find expected '-' indicator",
            "block sequence entries are not allowed in this context":
            message =
                "the indentation does not fit. Begin the keys of a section, and the dashes of a "
                + "list, in the same column."
        case "did not find expected ',' or ']'":
            message = "the list that begins with \"[\" needs a \",\" or its \"]\" before this."
        case "did not find expected ',' or '}'":
            message = "the section that begins with \"{\" needs a \",\" or its \"}\" before this."
        case "did not find expected node content":
            message = "missing value before this. Write it, or remove its key or dash."
        case "found character that cannot start any token":
            let shown =
                found.map { "a text cannot begin with \"\($0)\"" }
                ?? "a text begins with a wrong character"
            message = "\(shown). Put it in quotes."
        case "found undefined alias":
            message = "aliases (*name) are not supported. Write the value out, or quote the text."
        case "did not find expected alphabetic or numeric character":
            message = "a text cannot begin with \"*\" or \"&\". Put it in quotes."
        case "but found another document":
            message = "a second document begins here. A session file has one: remove the \"---\"."
        case "did not find expected <document start>":
            message = "a second value begins here. A session file is one section of keys."
        case let limit where limit.hasPrefix("Maximum nesting level"):
            message =
                "nested too deeply; the limit is \(YAMLDocument.maximumDepth) levels."
        default:
            message = "not YAML: \(problem)."
        }
    }
}
