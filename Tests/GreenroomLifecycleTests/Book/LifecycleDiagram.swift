import GreenroomModel

/// The lifecycle as a text drawing, made from the table of its steps.
///
/// States are in a column in the order of their declaration. A step to the next state is an arrow
/// down; other steps go around on the right, the longest one outermost. Omits failed steps, and
/// steps that stay in their state.
enum LifecycleDiagram {
    /// An arrow at the right.
    private struct Detour {
        var step: LifecycleStep
        var from: Int
        var to: Int
        var column = 0

        var span: ClosedRange<Int> { min(from, to)...max(from, to) }
    }

    private static let states = LifecycleState.allCases.filter { $0 != .faulted }
    /// Lines from one state to the next.
    private static let pitch = 3

    static func draw(_ rows: [LifecycleTable.Row]) -> String {
        let indent = 2
        let widest = states.map(\.rawValue.count).max() ?? 0
        var downward: [Int: LifecycleStep] = [:]
        var detours: [Detour] = []
        for row in rows where row.next != row.state {
            guard let from = states.firstIndex(of: row.state),
                let to = states.firstIndex(of: row.next)
            else { continue }
            if to == from + 1 {
                downward[from] = row.step
            } else {
                detours.append(Detour(step: row.step, from: from, to: to))
            }
        }
        detours.sort { $0.span.count < $1.span.count }
        var column = widest + 6
        for index in detours.indices {
            detours[index].column = column
            column += detours[index].step.rawValue.count + 4
        }

        let height = (states.count - 1) * pitch + 1
        var canvas = Array(
            repeating: Array(repeating: Character(" "), count: column), count: height)
        func write(_ text: String, _ line: Int, _ column: Int) {
            for (offset, character) in text.enumerated() {
                canvas[line][column + offset] = character
            }
        }
        for (index, state) in states.enumerated() {
            write(state.rawValue, index * pitch, 0)
            guard let step = downward[index] else { continue }
            write("│ \(step.rawValue)", index * pitch + 1, indent)
            write("▼", index * pitch + 2, indent)
        }
        for detour in detours {
            let (top, bottom) = (detour.span.lowerBound * pitch, detour.span.upperBound * pitch)
            for line in top...bottom { write("│", line, detour.column) }
            write("│ \(detour.step.rawValue)", (top + bottom) / 2, detour.column)
            for (end, corner) in [(top, "┐"), (bottom, "┘")] {
                let begin = states[end / pitch].rawValue.count + 1
                let isTarget = end / pitch == detour.to
                for place in begin..<detour.column where canvas[end][place] == " " {
                    canvas[end][place] = "─"
                }
                if isTarget { write("◀", end, begin) }
                write(corner, end, detour.column)
            }
        }
        return canvas.map { line in
            String(line.reversed().drop { $0 == " " }.reversed())
        }.joined(separator: "\n")
    }
}
