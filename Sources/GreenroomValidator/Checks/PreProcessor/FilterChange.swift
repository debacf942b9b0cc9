import GreenroomMedia
import GreenroomLifecycle

extension Catalogue {
    /// A filter that follows a new size edits it like a new instance.
    static let filterChange = Check(
        "pre-processor.property-change", "follows a new size", of: .filters,
        rule: "A filter follows a new size without a restart.",
        why: "A turned share changes the size of frames.",
        measured: """
            Frames of another accepted size: the filter must keep to the planes, and edit \
            like a new instance, unless results depend on earlier frames. A filter that \
            refuses, or has no property_change, keeps its size.
            """,
        fix: "Allocate for the new size in property_change."
    ) { examination throws(Verdict) in
        var count = 0
        for (old, new) in [
            ((640, 360), (353, 241)), ((353, 241), (640, 360)), ((640, 360), (360, 640)),
        ] {
            let old = VideoCapability(width: old.0, height: old.1, fps: 30)
            let new = VideoCapability(width: new.0, height: new.1, fps: 30)
            let fresh = try examination.results(at: new, after: .noise, at: new)
            let other = try examination.results(at: new, after: .black, at: new)
            guard let fresh, let other else {
                throw .hindered(by: "pre-processor.sizes", "does not edit \(new.size)")
            }
            guard let changed = try examination.results(at: new, after: .noise, at: old) else {
                continue
            }
            count += 1
            guard fresh == other, fresh != changed else { continue }
            throw .failed(
                "after a property change from \(old.size) to \(new.size) it edits frames "
                    + "differently from a new instance in that size: \(renewal)")
        }
        return .passed(count == 0 ? "keeps its size; the host scales" : "")
    }

    fileprivate static let renewal =
        "re-create everything that depends on the size in property_change, or refuse the change"
}

extension Examination {
    /// The edited frames of an instance at a size.
    ///
    /// - Parameters:
    ///   - content: The content of a preceding frame.
    ///   - first: The size of the preceding frame. If it differs, the instance must change from it.
    /// - Returns: The frames; nil if the instance does not edit the size, or keeps the first size.
    fileprivate func results(
        at row: VideoCapability, after content: FilterFrame.Content, at first: VideoCapability
    ) throws(Verdict) -> [UInt64]? {
        let stage = FilterStage(self)
        guard
            let life = try stage.begin(
                first, guarded: watch(extraStrideBytes: 64, isClosed: true))
        else { return nil }
        guard try life.editKeepingToPlanes(FilterFrame(content, random(6))).status == .ok else {
            throw .hindered(by: "pre-processor.sizes", "does not edit \(first.size)")
        }
        let isChanged = first != row
        if isChanged, try !life.change(to: row) {
            try life.endKeepingToPlanes()
            return nil
        }
        var results: [UInt64] = []
        for content in FilterFrame.Content.allCases {
            let source = FilterFrame(content, random(5))
            guard isChanged else {
                let edit = try life.editKeepingToPlanes(source)
                guard edit.status == .ok else { return nil }
                results.append(edit.after)
                continue
            }
            let change = "after a property change from \(first.size) to \(row.size)"
            let edit: FilterStage.Edited
            do throws(Verdict) {
                edit = try life.edit(source)
            } catch {
                // A new instance in that size kept to its planes.
                guard let crash = life.crash else { throw error }
                throw .failed("\(change) it crashes: \(Catalogue.renewal)", [crash.text])
            }
            if let spill = edit.spill {
                throw .failed("\(change) it \(spill.text): \(Catalogue.renewal)")
            }
            guard edit.status == .ok else {
                throw .failed("\(change) process answers \(edit.status): \(Catalogue.renewal)")
            }
            results.append(edit.after)
        }
        try life.endKeepingToPlanes()
        return results
    }
}
