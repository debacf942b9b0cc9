import Foundation
import Glibc
import SessionTestSupport
import TestSupport
import Testing

/// Tests `greenroom preview`.
@Suite(.ownThreads) struct PreviewTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    func preview(_ arguments: String...) throws -> Finished {
        try Greenroom.start(["preview"] + arguments).wait()
    }

    static func lines(_ run: Finished) -> [String] {
        run.text.split(separator: "\n").map(String.init)
    }

    /// The value after a word in the last block.
    static func row(_ name: String, of run: Finished) -> String? {
        lines(run).last { $0.hasPrefix("  \(name) ") }.map {
            String($0.dropFirst(2 + name.count)).trimmingCharacters(in: .whitespaces)
        }
    }

    // MARK: What is shown

    @Test(arguments: [
        ("Camera", "video source"), ("Share", "share source"), ("Invert", "video pre-processor"),
        ("Mic", "virtual mic"), ("ShareAudio", "share audio source"),
    ])
    func `every kind of plugin runs alone, third-party ones isolated`(
        plugin: (name: String, kind: String)
    ) throws {
        let run = try preview(
            "\(try TestPlugins.hostile())#\(plugin.name)", "--duration", "2s", "--virtual-clock",
            "--maximum", "320x180@15")
        #expect(run.exit == .code(0) && run.standardError.isEmpty, "\(run)\n\(run.text)")
        let title = "\(plugin.name) 1.0.0, a \(plugin.kind), in a separate process"
        #expect(Self.lines(run).first == title, "\(run.text)")
        let isSound = Self.row("audio", of: run) != nil
        let counts = try #require(Self.row(isSound ? "blocks" : "frames", of: run), "\(run.text)")
        let numbers = try #require(counts.firstMatch(of: #/sent ([0-9]+), accepted ([0-9]+)/#))
        let (sent, accepted) = (Int(numbers.1) ?? 0, Int(numbers.2) ?? 0)
        // On the virtual clock it is exact; one more frame may be refused at the end.
        if !isSound { #expect((30...31).contains(accepted), "\(run.text)") }
        let refused = try #require(Self.row("refused", of: run))
        #expect(refused == (sent == accepted ? "none" : "\(sent - accepted) STOPPED"))
        #expect(Self.row("callbacks", of: run)?.contains("initialize") == true, "\(run.text)")
        #expect(Self.lines(run).allSatisfy { $0.count < 80 || !$0.hasPrefix(" ") }, "\(run.text)")
    }

    @Test func `a composer shows the video of test participants`() throws {
        let run = try preview(
            "Stage", "--duration", "2s", "--virtual-clock", "--maximum", "320x180@15")
        #expect(run.exit == .code(0), "\(run)\n\(run.text)")
        #expect(Self.row("frames", of: run)?.contains("sent 30") == true, "\(run.text)")
        #expect(run.text.contains("call: Ana joined"), "\(run.text)")
    }

    @Test func `Ctrl-C ends a preview with its statistics`() throws {
        let child = try Greenroom.start(["preview", "Tone"])
        #expect(child.waitForOutput(containing: "level -23.0 dBFS"))
        child.signal(SIGINT)
        let run = child.wait()
        #expect(run.exit == .code(130), "\(run)")
        #expect(Self.row("audio", of: run) == "peak -20.0 dBFS, clipped 0", "\(run.text)")
    }

    // MARK: Frames

    /// ColorBars' bars from left to right, SMPTE bars of 75 %.
    static let bars: [[Int]] = [
        [191, 191, 191], [191, 191, 0], [0, 191, 191], [0, 191, 0], [191, 0, 191], [191, 0, 0],
        [0, 0, 191], [0, 0, 0],
    ]

    // MARK: Wrong arguments

    @Test(arguments: [
        (
            ["ColorBars", "--set", "pattern=gray"], 64,
            "--set pattern=gray: pattern: needs one of bars, grey"
        ),
        (["ColorBars", "--set", "patern=grey"], 64, "Did you mean \"pattern\"?"),
        (["ColorBars", "--set", "camera.settings.pattern=grey"], 64, "needs NAME=VALUE"),
        (["ColorBars", "--ceiling", "2s"], 64, "--ceiling \"2s\": needs a time and a ceiling"),
        (["ColorBars", "--ceiling", "2 640x360@15"], 64, "found the number 2. Write 2s."),
        (["ColorBars", "--ceiling", "2s 640x360"], 64, "a size and a frame rate such as"),
        (["Tone", "--ceiling", "2s none"], 64, "has no video to limit"),
        (["Tone", "--snapshot", "a.png"], 64, "--snapshot a.png: Tone is a virtual mic"),
        (["Tone", "--y4m", "-"], 64, "--y4m -: Tone is a virtual mic"),
        (["ColorBars", "--duration", "5"], 64, "--duration 5: needs a time such as"),
        (["ColorBars", "--maximum", "big"], 64, "--maximum big: needs a size and a frame rate"),
        (
            ["ColorBars", "--virtual-clock"], 64,
            "--virtual-clock: the virtual clock needs a duration"
        ),
        (["Slides"], 64, "Slides: path: Slides requires this setting"),
        (
            ["ColorBars", "--snapshot", "/no/a.png"], 74,
            "--snapshot /no/a.png: can't create a file"
        ),
        (["ColorBars", "--snapshot", ""], 64, "not a file name"),
        (["ColorBars", "--y4m", "/no/a"], 74, "--y4m /no/a: cannot be opened"),
        (["./no.so"], 65, "No such file"),
        (["no.so"], 65, "/no.so: No such file"),
        (["ColorBar"], 65, "Did you mean \"ColorBars\"?"),
        (["NoSuch"], 65, "no plugin of this name is installed"),
        (["NoSuch", "--watch"], 65, "no plugin of this name is installed"),
        (["ColorBars", "--watch", "--duration", "5"], 64, "--duration 5: needs a time such as"),
    ])
    func `a wrong argument is reported with the rule and the fix`(
        arguments: [String], code: Int32, text: String
    ) throws {
        let run = try Greenroom.start(["preview"] + arguments).wait()
        #expect(run.exit == .code(code), "\(run)\n\(run.text)")
        #expect(run.standardError.contains(text), "\(run)")
        #expect(run.text.isEmpty, "nothing was begun: \(run.text)")
    }
}
