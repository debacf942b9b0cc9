import GreenroomHarness
import GreenroomIsolation
import GreenroomMedia

extension Catalogue {
    /// Writes outside the frame's planes.
    static let filterPlanes = Check(
        "pre-processor.planes", "only the given planes are touched",
        of: .filters,
        rule: "A filter touches only the visible bytes of the planes, and only inside process.",
        why: "Other memory belongs to the host, and stride_bytes is not the width.",
        measured: """
            Planes between guard pages, with and without padding and longer strides: \
            nothing outside a plane, no padding between rows, nothing after process.
            """,
        fix: "Bound each row by the width of the plane."
    ) { examination throws(Verdict) in
        let random = examination.random(2)
        let sources = FilterFrame.Content.allCases.map { FilterFrame($0, random) }
        let rows =
            [(640, 360), (352, 240)].map { VideoCapability(width: $0.0, height: $0.1, fps: 30) }
            + FilterSizes.unfamiliar
        var count = 0
        for extra in [0, 64] {
            let stage = FilterStage(examination)
            for row in rows {
                count += try examination.guardPlanes(row, sources, on: stage, extraStride: extra)
            }
        }
        guard count > 0 else { throw .hindered(by: "pre-processor.sizes", "edits nothing") }
        return .passed("\(count) frames")
    }

    static let lesson = """
        process gets width, height and stride_bytes of each plane, chroma of (width + 1) / 2 by \
        (height + 1) / 2: keep to them, and to the time until it returns
        """
}

extension Examination {
    /// Calls the plugin to edit frames of one size under guard.
    ///
    /// - Returns: Number of edited frames.
    fileprivate func guardPlanes(
        _ row: VideoCapability, _ sources: [FilterFrame], on stage: FilterStage,
        extraStride: Int
    ) throws(Verdict) -> Int {
        let watch = watch(extraStrideBytes: extraStride, isClosed: true)
        guard let life = try stage.begin(row, guarded: watch) else { return 0 }
        var count = 0
        do throws(Verdict) {
            for (number, source) in sources.enumerated() {
                life.padding = UInt8(truncatingIfNeeded: 0xA5 + number * 37)
                let edit = try life.edit(source)
                if let spill = edit.spill {
                    throw .failed("at \(row.size) it \(spill.text): \(Catalogue.lesson)")
                }
                count += edit.status == .ok ? 1 : 0
            }
            try life.linger(milliseconds: 20)
        } catch {
            guard let crash = life.crash else { throw error }
            throw verdict(on: crash, of: life, watch)
        }
        try life.end()
        return count
    }

    /// The verdict on a filter that crashed under guard.
    private func verdict(on crash: Verdict, of life: FilterLife, _ watch: LeaseWatch) -> Verdict {
        // A crash without the guard, too, is another fault.
        guard !FilterSizes.crashes(self, at: life.row) else {
            return .hindered(by: "pre-processor.sizes", "crashes at \(life.row.size)")
        }
        guard let fault = life.fixture.process.fault,
            let place = life.place(of: fault.address, from: watch.base)
        else { return crash }
        let verb =
            switch fault.access {
            case .write: "writes"
            case .read: "reads"
            case .touch: "touches"
            }
        return .failed(
            "at \(life.row.size) it \(verb) \(place): \(Catalogue.lesson)", [crash.text])
    }
}

extension FilterLife {
    /// The position of a forbidden address relative to the frame, as text; nil if it is not near.
    fileprivate func place(of address: UInt64, from base: UInt64) -> String? {
        let reach = 64 << 20
        let (offset, overflow) = Int64(bitPattern: address).subtractingReportingOverflow(
            Int64(bitPattern: base))
        guard base > 0, !overflow, let last = planes.last,
            offset > -Int64(reach), offset < Int64(last.bytes.upperBound + reach)
        else { return nil }
        let place = Int(offset)
        if let plane = planes.firstIndex(where: { $0.pages.contains(place) }) {
            return "plane \(plane) after process has returned"
        }
        // Relative to the nearest plane.
        let beyond = planes.lastIndex { $0.bytes.upperBound <= place }
        let before = planes.firstIndex { $0.offset > place }
        let ahead = beyond.map { place - planes[$0].bytes.upperBound + 1 } ?? .max
        let behind = before.map { planes[$0].offset - place } ?? .max
        if let beyond, ahead <= behind { return "\(byteText(ahead)) beyond plane \(beyond)" }
        return before.map { "\(byteText(behind)) before plane \($0)" }
    }
}
