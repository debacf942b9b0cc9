import Glibc
import GreenroomMedia
import GreenroomOperate
import Synchronization
import SystemPackage

/// The output of a preview: on a terminal, permanent lines and below them a status block; elsewhere
/// only lines.
final class PreviewScreen: Sendable {
    let isTerminal: Bool
    private let descriptor: Int32
    private let queue: PrintQueue
    /// The status block below the lines; nil if none.
    private let block = Mutex<String?>(nil)

    init(descriptor: Int32) {
        self.descriptor = descriptor
        isTerminal = isatty(descriptor) == 1
        queue = PrintQueue(descriptor: descriptor, content: .text) {
            "\($0) lines dropped: reader too slow"
        }
    }

    /// Prints lines above the status block. The status block does not overwrite them. [any]
    func show(_ lines: [String]) {
        guard !lines.isEmpty else { return }
        block.withLock { block in
            for line in lines { queue.add { _ in line.printable } }
            if let block { queue.show(status: block) }
        }
    }

    /// Prints a line above the status block. [any]
    func show(_ line: String) { show([line]) }

    /// Replaces the block. Cuts lines for which the terminal has no room. [any]
    func show(block lines: [String]) {
        var window = winsize()
        // The kernel reports 0 for a terminal of unknown size.
        _ = ioctl(descriptor, UInt(TIOCGWINSZ), &window)
        let columns = window.ws_col > 0 ? Int(window.ws_col) : 80
        let rows = window.ws_row > 0 ? Int(window.ws_row) : 24
        // A line as wide as the terminal, or a block as high, would scroll the terminal.
        let room = lines.prefix(max(rows - 1, 1)).map { Self.cut($0.printable, to: columns - 1) }
        block.withLock { block in
            block = room.joined(separator: "\n")
            if let block { queue.show(status: block) }
        }
    }

    /// Removes the block with the next line. [any]
    func endBlock() {
        block.withLock { block in
            block = nil
            queue.dropStatus()
        }
    }

    /// Waits at most a second until all text is written.
    ///
    /// - Returns: Whether all text is written.
    @discardableResult
    func finish() -> Bool { queue.finish(within: .seconds(1)) }

    /// The first error of a write, except a reader that left; nil if none.
    var error: Errno? { queue.error.flatMap { $0 == .brokenPipe ? nil : $0 } }

    private static func cut(_ line: String, to columns: Int) -> String {
        line.count <= columns ? line : line.prefix(max(columns - 1, 0)) + "…"
    }
}
