import GreenroomHarness
import GreenroomNegotiation
import GreenroomPluginInterface
import GreenroomMedia

extension Catalogue {
    /// Runs the plugin once for each row, and checks the size of its frames.
    static let frameSizes = Check(
        "video.sizes", "frames have the agreed size", of: .videoSources, limitSeconds: 120,
        rule: "Frames have the agreed size.",
        why: "The host scales any other frame, which costs time and sharpness.",
        measured: """
            Each row of the standard table, before or after rotation. A share's frames \
            must not exceed its limit in either direction.
            """,
        fix: "Take the size from the agreement for each frame."
    ) { examination throws(Verdict) in
        for row in examination.rows {
            let fixture = try examination.show(VideoScenario(row: row, seconds: 0.2))
            guard let agreement = fixture.pluginHarness.agreement else { continue }
            for frame in try fixture.frames(atLeast: fixture.kind.offerRule == .rows ? 1 : 0)
            where !agreement.allows(frame, under: fixture.kind.offerRule == .upTo ? row : nil) {
                throw .failed(
                    "agreed to \(agreement.source), but sends \(frame.size): send what was "
                        + "agreed, or answer GR_ANSWER_FIXED with what you make"
                ).unless("negotiation.revision-geometry")
            }
        }
        return .passed()
    }
}

extension Agreement {
    /// Whether a frame has the agreed size, or is within a share's limit.
    func allows(_ frame: Record.Frame, under limit: VideoCapability?) -> Bool {
        let sizes = [frame.size, frame.size.rotated(by: frame.info.rotation)]
        if sizes.contains(source.size) { return true }
        guard let limit = limit?.size else { return false }
        if case .fixed = answer { return false }
        return sizes.contains { $0.width <= limit.width && $0.height <= limit.height }
    }
}

extension Examination {
    /// The rows to try: the standard table, or three limits for a share.
    var rows: [VideoCapability] {
        descriptor.kind.offerRule == .rows
            ? CapabilityTable.standard.rows
            : [
                VideoCapability(width: 1920, height: 1080, fps: 30),
                VideoCapability(width: 1280, height: 720, fps: 30),
                VideoCapability(width: 640, height: 360, fps: 15),
            ]
    }

    /// The first row of each size.
    var sizeRows: [VideoCapability] {
        rows.enumerated().filter { index, row in
            !rows[..<index].contains { $0.size == row.size }
        }.map(\.element)
    }
}
