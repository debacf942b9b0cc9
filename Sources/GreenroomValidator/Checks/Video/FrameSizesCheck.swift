import GreenroomHost
import GreenroomLoading
import GreenroomMedia

extension Catalogue {
    /// Has the plugin live once for each row, and looks at the size of what it sends.
    static let frameSizes = Check(
        "video.sizes", "frames have the size that was agreed", of: .pictures,
        proving: """
            At each row of the table that a camera can be offered its frames have exactly the size \
            that it agreed to, before any rotation. A share's frames may be smaller than its limit, \
            and never larger in a direction. A frame of another size is scaled by the host, which \
            costs time and sharpness.
            """
    ) { examination throws(Verdict) in
        for row in examination.rows {
            let bench = try examination.show(Showing(row: row, seconds: 0.2))
            guard let agreement = bench.rehearsal.agreement else { continue }
            let (agreed, size) = (agreement.source, agreement.source.size)
            for frame in try bench.frames(atLeast: bench.kind == .videoSource ? 1 : 0) {
                let isRight =
                    bench.kind == .shareSource
                    ? frame.size.width <= size.width && frame.size.height <= size.height
                    : frame.size == size
                guard isRight else {
                    throw .failed(
                        "it agreed to \(agreed), and sends \(frame.size): "
                            + "send what was agreed, or answer GR_ANSWER_FIXED with what you make")
                }
            }
        }
        return .passed()
    }
}

extension Examination {
    /// The rows that plugins are tried at: the standard table, or three limits for a share.
    var rows: [VideoCapability] {
        descriptor.kind == .videoSource
            ? CapabilityTable.standard.rows
            : [
                VideoCapability(width: 1920, height: 1080, fps: 30),
                VideoCapability(width: 1280, height: 720, fps: 30),
                VideoCapability(width: 640, height: 360, fps: 15),
            ]
    }
}
