import Testing
import TestSupport

/// Compiles `greenroom/plugin.h`, `greenroom/broadcast.h` and `greenroom/output.h` alone, with every promised compiler
/// and standard, with all warnings as errors.
@Suite(.ownThreads) struct HeaderCompilationTests {
    enum Compiler: String, CaseIterable {
        case gcc, clang, gxx = "g++", clangxx = "clang++"

        var language: String { self == .gcc || self == .clang ? "c" : "c++" }
        var standards: [String] {
            language == "c" ? ["c99", "c11", "c17", "c2x"] : ["c++17", "c++20"]
        }

        var warnings: [String] {
            let common = ["-Wall", "-Wextra", "-Wpedantic", "-Wpadded", "-Werror"]
            return switch self {
            case .gcc, .gxx: common + ["-Wconversion", "-Wshadow", "-Wundef"]
            // All warnings of clang, except those about other standards.
            case .clang: common + ["-Weverything", "-Wno-pre-c11-compat", "-Wno-pre-c2x-compat"]
            case .clangxx: common + ["-Weverything", "-Wno-c++98-compat-pedantic"]
            }
        }

        func check(_ source: String, standard: String, also flags: [String] = []) throws -> Finished
        {
            try ChildProcess.run(
                rawValue,
                ["-std=\(standard)", "-fsyntax-only", "-I", Checkout.include]
                    + warnings + flags + ["-x", language, "-"],
                input: Array(source.utf8))
        }
    }

    static let dialects = Compiler.allCases.flatMap { compiler in
        compiler.standards.map { (compiler, $0) }
    }

    /// Includes the header twice, to test its guard, and uses its export and its numeric macro.
    static let use = """
        #include <greenroom/plugin.h>
        #include <greenroom/plugin.h>
        #ifdef __cplusplus
        extern "C" GR_EXPORT const gr_entry *greenroom_plugin_entry(void);
        #else
        GR_EXPORT const gr_entry *greenroom_plugin_entry(void);
        #endif
        extern const gr_entry only_entry;
        extern int64_t unstamped;
        const gr_entry *greenroom_plugin_entry(void) {
          unstamped = GR_PTS_UNSTAMPED;
          return &only_entry;
        }

        """

    /// The same for the header of outputs.
    static let useOfOutputs = """
        #include <greenroom/output.h>
        #include <greenroom/output.h>
        extern const gr_output *output;
        extern const gr_output_host *host;
        extern gr_status status;
        int main(void) {
          status = host->report(1, GR_EXT_OUTPUT, GR_MAX_KEPT);
          return output->struct_size == sizeof(gr_output) ? 0 : 1;
        }

        """

    /// The same for the header of calls.
    static let useOfCalls = """
        #include <greenroom/call.h>
        #include <greenroom/call.h>
        extern const gr_call *call;
        extern const gr_call_host *host;
        extern gr_status status;
        int main(void) {
          status = host->left(1, GR_MAX_PARTICIPANTS);
          return call->struct_size == sizeof(gr_call) && GR_EXT_CALL[0] != 0 ? 0 : 1;
        }

        """

    /// The same for the header of control.
    static let useOfControl = """
        #include <greenroom/control.h>
        #include <greenroom/control.h>
        extern const gr_control *control;
        extern const gr_control_host *host;
        extern gr_status status;
        extern uint32_t number;
        int main(void) {
          status = host->command(1, GR_EXT_CONTROL, &number);
          return control->struct_size == sizeof(gr_control) && GR_MAX_COMMAND > 0 ? 0 : 1;
        }

        """

    /// The same for the header of connections.
    static let useOfConnections = """
        #include <greenroom/connections.h>
        #include <greenroom/connections.h>
        extern const gr_connections *host;
        extern gr_connection connection;
        extern gr_status status;
        extern int32_t memory;
        int main(void) {
          status = host->open(1, GR_CONNECT_X11, &connection);
          status = host->make_memory(1, GR_MAX_CONNECTION_MEMORY, &memory);
          return host->struct_size == sizeof(gr_connections) && GR_EXT_CONNECTIONS[0] != 0 ? 0 : 1;
        }

        """

    /// The same for the headers of programs that connect.
    static let useOfClient = """
        #include <greenroom/client.h>
        #include <greenroom/client.h>
        #include <greenroom/broadcast.h>
        #include <greenroom/broadcast.h>
        extern const gr_entry only_entry;
        extern gr_status status;
        extern const gr_broadcast *share;
        int main(void) {
          status = share->paused(1);
          return greenroom_client_run("share.sock", &only_entry, 0, 0) == GR_STATUS_OK ? 0 : 1;
        }

        """

    @Test(
        arguments: dialects,
        [use, useOfClient, useOfOutputs, useOfCalls, useOfControl, useOfConnections])
    func `each header compiles without another include and without a warning`(
        dialect: (compiler: Compiler, standard: String), use: String
    ) throws {
        // NULL has no common spelling in C and C++.
        let use =
            dialect.compiler.language == "c" ? use : use.replacing("0, 0)", with: "nullptr, 0)")
        let run = try dialect.compiler.check(use, standard: dialect.standard)
        #expect(run.exit == .code(0), "\(run)")
        #expect(run.standardError.isEmpty, "\(run)")
    }

    @Test(arguments: dialects)
    func `the compilation check refuses a struct with padding`(compiler: Compiler, standard: String)
        throws
    {
        let padded = """
            struct padded { char first; int64_t second; };
            GR_STATIC_ASSERT(laid_out, sizeof(struct padded) == 16);

            """
        let run = try compiler.check(Self.use + padded, standard: standard)
        #expect(run.exit == .code(1))
        #expect(
            run.standardError.contains("-Werror=padded")
                || run.standardError.contains("-Werror,-Wpadded"), "\(run)")
    }

    @Test(arguments: dialects)
    func `a static assertion with a wrong size does not compile`(
        compiler: Compiler, standard: String
    ) throws {
        let source = Self.use + "GR_STATIC_ASSERT(a_size, sizeof(gr_plane) == 25);\n"
        let run = try compiler.check(source, standard: standard)
        #expect(run.exit == .code(1))
        #expect(run.standardError.contains("a_size"), "\(run)")
    }
}
