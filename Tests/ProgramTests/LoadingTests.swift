import Glibc
import SessionTestSupport
import TestSupport
import Testing

/// Tests that invalid libraries are refused with a reason, and newer ones accepted.
@Suite(.ownThreads) struct LoadingTests {
    /// A fault of `malformed.c`, and text of the refusal.
    struct Fault: CustomTestStringConvertible {
        var name: String
        var words: [String]
        var testDescription: String { name }

        init(_ name: String, _ words: String...) {
            self.name = name
            self.words = words
        }
    }

    static let faults = [
        Fault("NULL_ENTRY", "greenroom_plugin_entry", "NULL"),
        Fault("WRONG_MAJOR", "major 2", "major 1", "Rebuild"),
        Fault("MAJOR_ZERO", "major 0"),
        Fault("SHORT_ENTRY", "entry", "struct_size", "sizeof(gr_entry)"),
        Fault("NO_ENTRY_SIZE", "entry", "struct_size is 0"),
        Fault("NULL_CREATE", "create is NULL"),
        Fault("NULL_DESCRIPTOR_FUNCTION", "descriptor is NULL"),
        Fault("NO_PLUGINS", "plugin_count is 0"),
        Fault("ABSURD_COUNT", "plugin_count is 4000000000"),

        Fault("SHORT_DESCRIPTOR", "descriptor 0", "struct_size", "sizeof(gr_descriptor)"),
        Fault("UNKNOWN_KIND", "kind 77"),
        Fault("ID_NOT_UTF8", "descriptor 0: id", "UTF-8"),
        Fault("ID_CHARACTERS", "descriptor 0: id", "a-z, 0-9"),
        Fault("NULL_ID", "descriptor 0: id is NULL"),
        Fault("EMPTY_NAME", "descriptor 0: name is empty"),
        Fault("NAME_CHARACTERS", "descriptor 0: name", "letters, digits"),
        Fault("ENDLESS_SUMMARY", "descriptor 0: summary", "longer"),
        Fault("SUMMARY_NOT_UTF8", "descriptor 0: summary", "UTF-8"),
        Fault("DUPLICATE_ID", "org.example.malformed"),
        Fault("DUPLICATE_NAME", "Malformed"),

        Fault("NULL_PARAMETERS", "parameters is NULL"),
        Fault("ABSURD_PARAMETER_COUNT", "parameter_count is 4000000000"),
        Fault("SHORT_PARAMETER", "parameter 0", "struct_size is 16"),
        Fault("UNKNOWN_TYPE", "level", "type 77"),
        Fault("PARAMETER_NAME_CHARACTERS", "parameter 0: name", "Level one"),
        Fault("NULL_TITLE", "title is NULL"),
        Fault("DEFAULT_OUT_OF_BOUNDS", "level", "default", "11"),
        Fault("DEFAULT_OF_ANOTHER_TYPE", "level", "default", "type"),
        Fault("BOUNDS_REVERSED", "level", "minimum"),
        Fault("BOUNDS_NOT_NUMBERS", "level", "minimum"),
        Fault("DEFAULT_INFINITE", "level", "default"),
        Fault("NO_CHOICES", "mood", "choices"),
        Fault("NO_CHOICE_COUNT", "mood", "choices"),
        Fault("DEFAULT_NO_CHOICE", "mood", "default", "angry"),
        Fault("NULL_DEFAULT", "mood", "default is NULL"),
    ]

    func expectRefusal(of library: String, naming words: [String]) throws {
        let run = try Greenroom.run("plugin", "info", library)
        #expect(run.exit == .code(65), "\(run)")
        #expect(run.standardOutput.isEmpty, "\(run)")
        for word in [library] + words {
            #expect(run.standardError.contains(word), "says nothing of \(word):\n\(run)")
        }
    }

    @Test(arguments: faults)
    func `a library that breaks a rule is refused by that rule`(fault: Fault) throws {
        try expectRefusal(of: try TestPlugins.malformed(fault.name), naming: fault.words)
    }

    @Test func `a plugin of a later minor with larger structs is accepted`() throws {
        let run = try Greenroom.run(
            "plugin", "info", try TestPlugins.malformed("NONE_NEWER_MINOR"))
        #expect(run.exit == .code(0), "\(run)")
        for word in ["Malformed 1.0.0", "interface 1.7", "level", "calm|wild", "label"] {
            #expect(run.text.contains(word), "says nothing of \(word):\n\(run.text)")
        }
    }

    @Test func `a library that hangs while loading is refused`() throws {
        try expectRefusal(
            of: try TestPlugins.malformed("ENDLESS_ENTRY"),
            naming: ["hangs while loading", "have not returned"])
    }

    @Test func `a missing library is named`() throws {
        try expectRefusal(
            of: try TestPlugins.needingMissingLibrary(),
            naming: ["missing_library.so", "not installed"])
    }
}
