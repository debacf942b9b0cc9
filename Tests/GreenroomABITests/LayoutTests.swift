import GreenroomABI
import Testing

/// The layout of every struct, as Swift sees it, against numbers that major 1 has frozen.
@Suite struct LayoutTests {
    @Test(arguments: layouts)
    func `size and offsets are frozen`(layout: Layout) {
        #expect(layout.size == layout.frozenSize)
        #expect(layout.offsets == layout.frozenOffsets)
    }

    @Test func `every struct of the header has its layout here`() throws {
        #expect(Set(Self.layouts.map(\.name)) == (try Header()).structs)
    }

    struct Layout: Sendable, CustomTestStringConvertible {
        var name: String
        var size: Int
        var frozenSize: Int
        var offsets: [Int?]
        var frozenOffsets: [Int?]

        var testDescription: String { name }

        init<Struct>(
            _ name: String, _ type: Struct.Type, size: Int,
            _ members: [(PartialKeyPath<Struct>, Int)]
        ) {
            self.name = name
            self.size = MemoryLayout<Struct>.size
            frozenSize = size
            offsets = members.map { MemoryLayout<Struct>.offset(of: $0.0) }
            frozenOffsets = members.map(\.1)
        }
    }

    static let layouts: [Layout] = [
        .init(
            "gr_broadcast", gr_broadcast.self, size: 32,
            [
                (\.struct_size, 0), (\.reserved, 4), (\.paused, 8), (\.resumed, 16),
                (\.finished, 24),
            ]),
        .init(
            "gr_frame_info", gr_frame_info.self, size: 32,
            [
                (\.struct_size, 0), (\.rotation, 4), (\.range, 8), (\.matrix, 12),
                (\.offer_revision, 16), (\.reserved, 20), (\.pts_ns, 24),
            ]),
        .init(
            "gr_plane", gr_plane.self, size: 24,
            [
                (\.data, 0), (\.size_bytes, 8), (\.stride_bytes, 16), (\.reserved, 20),
            ]),
        .init(
            "gr_mutable_plane", gr_mutable_plane.self, size: 24,
            [
                (\.data, 0), (\.size_bytes, 8), (\.stride_bytes, 16), (\.reserved, 20),
            ]),
        .init(
            "gr_video_frame", gr_video_frame.self, size: 128,
            [
                (\.struct_size, 0), (\.format, 4), (\.width, 8), (\.height, 12),
                (\.plane_count, 16), (\.reserved, 20), (\.planes, 24), (\.info, 96),
            ]),
        .init(
            "gr_mutable_frame", gr_mutable_frame.self, size: 128,
            [
                (\.struct_size, 0), (\.format, 4), (\.width, 8), (\.height, 12),
                (\.plane_count, 16), (\.reserved, 20), (\.planes, 24), (\.info, 96),
            ]),
        .init(
            "gr_lease", gr_lease.self, size: 144,
            [
                (\.struct_size, 0), (\.reserved, 4), (\.id, 8), (\.frame, 16),
            ]),
        .init(
            "gr_audio_block", gr_audio_block.self, size: 40,
            [
                (\.struct_size, 0), (\.sample_rate_hz, 4), (\.channels, 8),
                (\.frame_count, 12), (\.samples, 16), (\.size_bytes, 24), (\.pts_ns, 32),
            ]),
        .init(
            "gr_capability", gr_capability.self, size: 16,
            [
                (\.width, 0), (\.height, 4), (\.fps_numerator, 8), (\.fps_denominator, 12),
            ]),
        .init(
            "gr_offer", gr_offer.self, size: 48,
            [
                (\.struct_size, 0), (\.revision, 4), (\.rule, 8), (\.reason, 12), (\.rows, 16),
                (\.row_count, 24), (\.reserved, 28), (\.suggested, 32),
            ]),
        .init(
            "gr_answer", gr_answer.self, size: 24,
            [
                (\.struct_size, 0), (\.kind, 4), (\.capability, 8),
            ]),
        .init(
            "gr_value", gr_value.self, size: 32,
            [
                (\.type, 0), (\.reserved, 4), (\.integer, 8), (\.number, 16), (\.string, 24),
            ]),
        .init(
            "gr_parameter", gr_parameter.self, size: 96,
            [
                (\.struct_size, 0), (\.type, 4), (\.flags, 8), (\.choice_count, 12),
                (\.name, 16), (\.title, 24), (\.unit, 32), (\.choices, 40),
                (\.default_value, 48), (\.minimum, 80), (\.maximum, 88),
            ]),
        .init(
            "gr_setting", gr_setting.self, size: 40,
            [
                (\.name, 0), (\.value, 8),
            ]),
        .init(
            "gr_host", gr_host.self, size: 80,
            [
                (\.struct_size, 0), (\.abi_major, 4), (\.abi_minor, 6), (\.name, 8),
                (\.version, 16), (\.log, 24), (\.set_error, 32), (\.give_up, 40),
                (\.now_ns, 48), (\.wait_until_ns, 56), (\.refusal_text, 64),
                (\.get_extension, 72),
            ]),
        .init(
            "gr_video_functions", gr_video_functions.self, size: 40,
            [
                (\.struct_size, 0), (\.reserved, 4), (\.send, 8), (\.acquire, 16),
                (\.commit, 24), (\.abandon, 32),
            ]),
        .init(
            "gr_audio_functions", gr_audio_functions.self, size: 16,
            [
                (\.struct_size, 0), (\.reserved, 4), (\.send, 8),
            ]),
        .init(
            "gr_initialize", gr_initialize.self, size: 48,
            [
                (\.struct_size, 0), (\.reserved, 4), (\.sender, 8), (\.video, 16),
                (\.audio, 24), (\.offer, 32), (\.answer, 40),
            ]),
        .init(
            "gr_plugin", gr_plugin.self, size: 72,
            [
                (\.struct_size, 0), (\.reserved, 4), (\.`self`, 8), (\.destroy, 16),
                (\.initialize, 24), (\.property_change, 32), (\.start_send, 40),
                (\.stop_send, 48), (\.uninitialize, 56), (\.get_extension, 64),
            ]),
        .init(
            "gr_descriptor", gr_descriptor.self, size: 72,
            [
                (\.struct_size, 0), (\.kind, 4), (\.id, 8), (\.name, 16), (\.version, 24),
                (\.summary, 32), (\.vendor, 40), (\.url, 48), (\.parameters, 56),
                (\.parameter_count, 64), (\.reserved, 68),
            ]),
        .init(
            "gr_create", gr_create.self, size: 32,
            [
                (\.struct_size, 0), (\.setting_count, 4), (\.instance, 8), (\.host, 16),
                (\.settings, 24),
            ]),
        .init(
            "gr_entry", gr_entry.self, size: 32,
            [
                (\.struct_size, 0), (\.abi_major, 4), (\.abi_minor, 6), (\.plugin_count, 8),
                (\.reserved, 12), (\.descriptor, 16), (\.create, 24),
            ]),
        .init(
            "gr_pre_processor", gr_pre_processor.self, size: 16,
            [
                (\.struct_size, 0), (\.reserved, 4), (\.process, 8),
            ]),
        .init(
            "gr_live_parameters", gr_live_parameters.self, size: 16,
            [
                (\.struct_size, 0), (\.reserved, 4), (\.set, 8),
            ]),
        .init(
            "gr_video_capabilities", gr_video_capabilities.self, size: 16,
            [
                (\.struct_size, 0), (\.count, 4), (\.rows, 8),
            ]),
    ]
}
