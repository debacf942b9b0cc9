import GreenroomABI

/// Members of a frame that a pre-processor must not change.
package struct FrameMembers: OptionSet, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let layout = FrameMembers(rawValue: 1)
    package static let format = FrameMembers(rawValue: 2)
    package static let size = FrameMembers(rawValue: 4)
    package static let data = FrameMembers(rawValue: 8)
    package static let strides = FrameMembers(rawValue: 16)
    package static let rotation = FrameMembers(rawValue: 32)
    package static let color = FrameMembers(rawValue: 64)
    package static let revision = FrameMembers(rawValue: 128)
    package static let pts = FrameMembers(rawValue: 256)

    private static let names: [(FrameMembers, String)] = [
        (.layout, "struct_size or reserved"), (.format, "format or plane_count"),
        (.size, "width or height"), (.data, "planes' data or size_bytes"),
        (.strides, "planes' stride_bytes"), (.rotation, "info.rotation"),
        (.color, "info.range or info.matrix"), (.revision, "info.offer_revision"),
        (.pts, "info.pts_ns"),
    ]

    /// The members by their names in the header.
    package var text: String {
        Self.names.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
    }

    /// The members that differ between two frames.
    init(of frame: gr_mutable_frame, otherThan before: gr_mutable_frame) {
        var changed: FrameMembers = []
        func compare<Value: Equatable>(
            _ member: FrameMembers, _ value: (gr_mutable_frame) -> Value
        ) {
            if value(frame) != value(before) { changed.insert(member) }
        }
        compare(.layout) { [$0.struct_size, $0.reserved, $0.info.struct_size, $0.info.reserved] }
        compare(.format) { [$0.format, $0.plane_count] }
        compare(.size) { [$0.width, $0.height] }
        compare(.data) { frame in
            frame.all.map { [UInt(bitPattern: $0.data), UInt($0.size_bytes), UInt($0.reserved)] }
        }
        compare(.strides) { $0.all.map(\.stride_bytes) }
        compare(.rotation) { $0.info.rotation }
        compare(.color) { [$0.info.range, $0.info.matrix] }
        compare(.revision) { $0.info.offer_revision }
        compare(.pts) { $0.info.pts_ns }
        self = changed
    }
}

extension gr_mutable_frame {
    fileprivate var all: [gr_mutable_plane] { [planes.0, planes.1, planes.2] }
}
