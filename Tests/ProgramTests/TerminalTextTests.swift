import Glibc
import SessionTestSupport
import TestSupport
import Testing

/// Names, values and paths from outside contain escapes for a terminal: no command prints one.
@Suite(.ownThreads) struct TerminalTextTests {
    let folder: TemporaryFolder

    /// Erases a line, moves to another, reverses the text after it.
    static let escapes = "\u{1B}[2K\u{9B}1A\u{202E}\r\u{7}"

    init() throws { folder = try TemporaryFolder() }

    @Test func `all text reaches the terminal through Console`() throws {
        let writers =
            #/(^|[^.A-Za-z_])(print|debugPrint|dump|fputs|puts|fwrite|putchar|perror)\(|standardError|FileHandle/#
        let program = Checkout.root + "/Sources/greenroom"
        let sources = try ChildProcess.run("find", [program, "-name", "*.swift"]).text
            .split(separator: "\n").map(String.init)
        #expect(sources.count > 40)
        for source in sources where !source.hasSuffix("/Console.swift") {
            let text = String(decoding: try readFile(source), as: UTF8.self)
            for line in text.split(separator: "\n") where line.contains(writers) {
                Issue.record("\(source): \(line): write it with Console")
            }
        }
    }
}
