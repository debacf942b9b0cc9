import GreenroomNegotiation
import GreenroomLifecycle
import GreenroomMedia

extension Catalogue {
    /// The other checks depend on it.
    static let filterSizes = Check(
        "pre-processor.sizes", "frames of every size are edited", of: .filters,
        rule: "Frames of every size are edited.",
        why: "A session may agree on any size; refused frames pass unedited.",
        measured: """
            Each row of the table, odd sizes and down to a single pixel. The filter must \
            not crash, and must accept some; a refused size is a warning.
            """,
        fix: "Compute the planes' sizes from the frame, and round chroma up."
    ) { examination throws(Verdict) in
        let stage = FilterStage(examination)
        let random = examination.random(1)
        let sources = FilterSizes.contents.map { FilterFrame($0, random) }
        var (edited, refused) = (0, 0)
        var notes: [String] = []
        for row in FilterSizes.table + FilterSizes.unfamiliar {
            guard let life = try stage.begin(row) else {
                notes.append("\(row.size): it does not initialize")
                continue
            }
            life.isTrial = true
            for source in sources {
                let edit: FilterStage.Edited
                do throws(Verdict) {
                    edit = try life.edit(source)
                } catch {
                    guard error.outcome == .crashed else { throw error }
                    throw .crashed("while it edits \(row.size): \(error.text)", error.details)
                }
                guard edit.status != .ok else {
                    edited += 1
                    continue
                }
                refused += 1
                if notes.last?.hasPrefix("\(row.size):") != true {
                    notes.append("\(row.size): process answers \(edit.status)")
                }
            }
            try life.end()
        }
        guard edited > 0 else {
            throw .failed(
                "edits nothing: \(notes.first ?? "process returned no frame"). Answer GR_STATUS_OK for a "
                    + "frame that was edited", notes)
        }
        guard notes.isEmpty else {
            return .warning(
                "does not edit \(notes.count) of "
                    + "\(FilterSizes.table.count + FilterSizes.unfamiliar.count) sizes: their frames "
                    + "pass unedited", notes)
        }
        return .passed("\(edited) frames of \(edited / sources.count) sizes")
    }
}
