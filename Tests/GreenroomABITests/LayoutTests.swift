import TestSupport
import Testing

/// The size of every struct and the offset of every member, compared with the frozen numbers of
/// major 1, as gcc and clang compute them, in C and in C++.
@Suite struct LayoutTests {
    @Test(arguments: ["gcc", "clang", "g++", "clang++"])
    func `every compiler gives each struct its frozen size and offsets`(compiler: String) throws {
        let run = try Self.compile(Self.layouts, with: compiler)
        #expect(run.exit == .code(0), "\(run)")
    }

    @Test func `every struct of the header has a frozen layout`() throws {
        #expect(Set(Self.layouts.map(\.name)) == (try Header()).structs)
    }

    @Test func `a layout with a wrong offset, member or size does not compile`() throws {
        let plane = try #require(Self.layouts.first { $0.name == "gr_plane" })
        var moved = plane
        moved.members[2].offset = 20
        var shorter = plane
        shorter.members.removeLast()
        var larger = plane
        larger.size += 8
        for wrong in [moved, shorter, larger] {
            #expect(try Self.compile([wrong], with: "gcc").exit == .code(1))
        }
    }

    /// One struct of the header.
    struct Layout: Sendable {
        var name: String
        /// In bytes.
        var size: Int
        /// In the order of declaration, with offsets in bytes.
        var members: [(name: String, offset: Int)]

        init(_ name: String, size: Int, _ members: [(String, Int)]) {
            self.name = name
            self.size = size
            self.members = members
        }

        /// Declarations that compile only if the struct has this layout and no other members.
        var assertions: String {
            var text = "_Static_assert(sizeof(\(name)) == \(size), \"size of \(name)\");\n"
            for (index, member) in members.enumerated() {
                let end = index + 1 < members.count ? members[index + 1].offset : size
                text += """
                    _Static_assert(offsetof(\(name), \(member.name)) == \(member.offset) &&
                                   sizeof(((\(name) *)0)->\(member.name)) == \(end - member.offset),
                                   "\(name).\(member.name)");

                    """
            }
            return text
        }
    }

    private static func compile(_ layouts: [Layout], with compiler: String) throws -> Finished {
        let source = """
            #include <stddef.h>
            #include <greenroom/broadcast.h>
            #include <greenroom/call.h>
            #include <greenroom/connections.h>
            #include <greenroom/control.h>
            #include <greenroom/output.h>
            #ifdef __cplusplus
            #define _Static_assert static_assert
            #endif

            """
        return try ChildProcess.run(
            compiler,
            [
                "-std=" + (compiler.hasSuffix("++") ? "c++17" : "c11"), "-fsyntax-only",
                "-I", Checkout.include, "-x", compiler.hasSuffix("++") ? "c++" : "c", "-",
            ], input: Array((source + layouts.map(\.assertions).joined()).utf8))
    }

    static let layouts: [Layout] = [
        Layout(
            "gr_track", size: 48,
            [
                ("struct_size", 0), ("id", 4), ("kind", 8), ("participant", 12), ("name", 16),
                ("participant_name", 24), ("capability", 32),
            ]),
        Layout(
            "gr_want", size: 56,
            [
                ("struct_size", 0), ("is_wanted", 4), ("format", 8), ("fit", 12),
                ("capability", 16), ("matrix", 32), ("pace", 36), ("sample_rate_hz", 40),
                ("channels", 44), ("block_frames", 48), ("reserved", 52),
            ]),
        Layout(
            "gr_output_frame", size: 160,
            [
                ("struct_size", 0), ("track", 4), ("id", 8), ("content", 16), ("periods", 20),
                ("index", 24), ("frame", 32),
            ]),
        Layout(
            "gr_output_block", size: 56,
            [("struct_size", 0), ("track", 4), ("index", 8), ("block", 16)]),
        Layout(
            "gr_output", size: 40,
            [
                ("struct_size", 0), ("reserved", 4), ("track", 8), ("video", 16), ("audio", 24),
                ("gone", 32),
            ]),
        Layout(
            "gr_demand", size: 32,
            [("struct_size", 0), ("is_wanted", 4), ("sender", 8), ("capability", 16)]),
        Layout("gr_call", size: 16, [("struct_size", 0), ("reserved", 4), ("demand", 8)]),
        Layout(
            "gr_open_track", size: 56,
            [
                ("struct_size", 0), ("participant", 4), ("kind", 8), ("track", 12),
                ("capability", 16), ("sender", 32), ("video", 40), ("audio", 48),
            ]),
        Layout(
            "gr_call_host", size: 48,
            [
                ("struct_size", 0), ("reserved", 4), ("joined", 8), ("left", 16),
                ("open_track", 24), ("close_track", 32), ("set_muted", 40),
            ]),
        Layout(
            "gr_recording_host", size: 16,
            [("struct_size", 0), ("reserved", 4), ("set_recorded", 8)]),
        Layout(
            "gr_control_host", size: 32,
            [
                ("struct_size", 0), ("reserved", 4), ("command", 8), ("describe", 16),
                ("report", 24),
            ]),
        Layout(
            "gr_audio_edit", size: 40,
            [
                ("struct_size", 0), ("channels", 4), ("frame_count", 8), ("reserved", 12),
                ("pts_ns", 16), ("samples", 24), ("reference", 32),
            ]),
        Layout(
            "gr_audio_pre_processor", size: 24,
            [
                ("struct_size", 0), ("channels", 4), ("delay_frames", 8), ("flags", 12),
                ("process", 16),
            ]),
        Layout(
            "gr_connection", size: 88,
            [
                ("struct_size", 0), ("descriptor", 4), ("display", 8), ("screen", 12),
                ("key_length", 16), ("reserved", 20), ("key", 24),
            ]),
        Layout(
            "gr_connections", size: 24,
            [("struct_size", 0), ("reserved", 4), ("open", 8), ("make_memory", 16)]),
        Layout("gr_control", size: 16, [("struct_size", 0), ("reserved", 4), ("event", 8)]),
        Layout(
            "gr_output_host", size: 56,
            [
                ("struct_size", 0), ("reserved", 4), ("keep", 8), ("release", 16), ("report", 24),
                ("set_ceiling", 32), ("wants_changed", 40), ("state", 48),
            ]),
        Layout(
            "gr_audio_queue", size: 24,
            [("struct_size", 0), ("reserved", 4), ("clear", 8), ("queued", 16)]),
        Layout("gr_files_host", size: 16, [("struct_size", 0), ("reserved", 4), ("finished", 8)]),
        Layout(
            "gr_hold", size: 24,
            [("struct_size", 0), ("reserved", 4), ("held", 8), ("damaged", 16)]),
        Layout(
            "gr_caption", size: 40,
            [
                ("struct_size", 0), ("reserved", 4), ("speaker", 8), ("text", 16),
                ("start_ns", 24), ("end_ns", 32),
            ]),
        Layout("gr_captions_host", size: 16, [("struct_size", 0), ("reserved", 4), ("add", 8)]),
        Layout("gr_files_host", size: 16, [("struct_size", 0), ("reserved", 4), ("finished", 8)]),
        Layout(
            "gr_broadcast", size: 32,
            [("struct_size", 0), ("reserved", 4), ("paused", 8), ("resumed", 16), ("finished", 24)]),
        Layout(
            "gr_frame_info", size: 32,
            [
                ("struct_size", 0), ("rotation", 4), ("range", 8), ("matrix", 12),
                ("offer_revision", 16), ("reserved", 20), ("pts_ns", 24),
            ]),
        Layout(
            "gr_plane", size: 24,
            [("data", 0), ("size_bytes", 8), ("stride_bytes", 16), ("reserved", 20)]),
        Layout(
            "gr_mutable_plane", size: 24,
            [("data", 0), ("size_bytes", 8), ("stride_bytes", 16), ("reserved", 20)]),
        Layout(
            "gr_video_frame", size: 128,
            [
                ("struct_size", 0), ("format", 4), ("width", 8), ("height", 12),
                ("plane_count", 16), ("reserved", 20), ("planes", 24), ("info", 96),
            ]),
        Layout(
            "gr_mutable_frame", size: 128,
            [
                ("struct_size", 0), ("format", 4), ("width", 8), ("height", 12),
                ("plane_count", 16), ("reserved", 20), ("planes", 24), ("info", 96),
            ]),
        Layout(
            "gr_lease", size: 144, [("struct_size", 0), ("reserved", 4), ("id", 8), ("frame", 16)]),
        Layout(
            "gr_audio_block", size: 40,
            [
                ("struct_size", 0), ("sample_rate_hz", 4), ("channels", 8), ("frame_count", 12),
                ("samples", 16), ("size_bytes", 24), ("pts_ns", 32),
            ]),
        Layout(
            "gr_capability", size: 16,
            [("width", 0), ("height", 4), ("fps_numerator", 8), ("fps_denominator", 12)]),
        Layout(
            "gr_offer", size: 48,
            [
                ("struct_size", 0), ("revision", 4), ("rule", 8), ("reason", 12), ("rows", 16),
                ("row_count", 24), ("reserved", 28), ("suggested", 32),
            ]),
        Layout("gr_answer", size: 24, [("struct_size", 0), ("kind", 4), ("capability", 8)]),
        Layout(
            "gr_value", size: 32,
            [("type", 0), ("reserved", 4), ("integer", 8), ("number", 16), ("string", 24)]),
        Layout(
            "gr_parameter", size: 96,
            [
                ("struct_size", 0), ("type", 4), ("flags", 8), ("choice_count", 12), ("name", 16),
                ("title", 24), ("unit", 32), ("choices", 40), ("default_value", 48),
                ("minimum", 80), ("maximum", 88),
            ]),
        Layout("gr_setting", size: 40, [("name", 0), ("value", 8)]),
        Layout(
            "gr_host", size: 80,
            [
                ("struct_size", 0), ("abi_major", 4), ("abi_minor", 6), ("name", 8),
                ("version", 16), ("log", 24), ("set_error", 32), ("give_up", 40), ("now_ns", 48),
                ("wait_until_ns", 56), ("refusal_text", 64), ("get_extension", 72),
            ]),
        Layout(
            "gr_video_functions", size: 40,
            [
                ("struct_size", 0), ("reserved", 4), ("send", 8), ("acquire", 16), ("commit", 24),
                ("abandon", 32),
            ]),
        Layout("gr_audio_functions", size: 16, [("struct_size", 0), ("reserved", 4), ("send", 8)]),
        Layout(
            "gr_initialize", size: 48,
            [
                ("struct_size", 0), ("reserved", 4), ("sender", 8), ("video", 16), ("audio", 24),
                ("offer", 32), ("answer", 40),
            ]),
        Layout(
            "gr_plugin", size: 72,
            [
                ("struct_size", 0), ("reserved", 4), ("self", 8), ("destroy", 16),
                ("initialize", 24), ("property_change", 32), ("start_send", 40), ("stop_send", 48),
                ("uninitialize", 56), ("get_extension", 64),
            ]),
        Layout(
            "gr_descriptor", size: 72,
            [
                ("struct_size", 0), ("kind", 4), ("id", 8), ("name", 16), ("version", 24),
                ("summary", 32), ("vendor", 40), ("url", 48), ("parameters", 56),
                ("parameter_count", 64), ("needs", 68),
            ]),
        Layout(
            "gr_create", size: 32,
            [
                ("struct_size", 0), ("setting_count", 4), ("instance", 8), ("host", 16),
                ("settings", 24),
            ]),
        Layout(
            "gr_entry", size: 32,
            [
                ("struct_size", 0), ("abi_major", 4), ("abi_minor", 6), ("plugin_count", 8),
                ("reserved", 12), ("descriptor", 16), ("create", 24),
            ]),
        Layout(
            "gr_pre_processor", size: 16, [("struct_size", 0), ("reserved", 4), ("process", 8)]),
        Layout(
            "gr_pre_processor_property_change", size: 16,
            [("struct_size", 0), ("reserved", 4), ("property_change", 8)]),
        Layout(
            "gr_connection", size: 88,
            [
                ("struct_size", 0), ("descriptor", 4), ("display", 8), ("screen", 12),
                ("key_length", 16), ("reserved", 20), ("key", 24),
            ]),
        Layout(
            "gr_connections", size: 24,
            [("struct_size", 0), ("reserved", 4), ("open", 8), ("make_memory", 16)]),
        Layout("gr_live_parameters", size: 16, [("struct_size", 0), ("reserved", 4), ("set", 8)]),
        Layout("gr_video_capabilities", size: 16, [("struct_size", 0), ("count", 4), ("rows", 8)]),
    ]
}
