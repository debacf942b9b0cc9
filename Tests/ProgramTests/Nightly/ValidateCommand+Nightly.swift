import Foundation
import Glibc
import SessionTestSupport
import TestSupport
import Testing

extension ValidateCommandTests {
    @Test func `the list has the selected checks, as text and as JSON`() throws {
        func listed(_ arguments: String...) throws -> [Listed] {
            let run = try Greenroom.start(["validate", "--list", "--format", "json"] + arguments)
                .wait()
            #expect(run.exit == .code(0), "\(run)")
            return try JSONDecoder().decode([Listed].self, from: Data(run.standardOutput))
        }
        let all = try listed()
        #expect(Set(all.map(\.id)).count == all.count)
        #expect(all.allSatisfy { !$0.title.isEmpty && !$0.rule.isEmpty && !$0.fix.isEmpty })
        #expect(all.first { $0.id == "video.rate" }?.kinds == ["video source", "composer"])
        let some = try listed("--only", "lifecycle, video.rate")
        let isMeant = { (id: String) in id.hasPrefix("lifecycle.") || id == "video.rate" }
        #expect(some.map(\.id) == all.map(\.id).filter(isMeant))
        #expect(some.count > 10 && some.count < all.count)
        let repeated = try listed("--only", "lifecycle", "--only", "video.rate")
        #expect(repeated.map(\.id) == some.map(\.id))

        let people = try Greenroom.run("validate", "--list", "--only", "lifecycle, video.rate")
        #expect(people.exit == .code(0), "\(people)")
        let heads = people.text.split(separator: "\n").filter { !$0.hasPrefix(" ") }
        #expect(heads.map { String($0.prefix { $0 != ":" }) } == some.map(\.id))
    }

    @Test(
        arguments: [
            (["--only", "lifecycle.restrat"], 64, "Did you mean \"lifecycle.restart\"?"),
            (["--only", "load,restart"], 64, "--only restart: unknown check or group"),
            (["--only", "restart"], 64, "Did you mean \"lifecycle.restart\"?"),
            (["--only", "lifecicle"], 64, "Did you mean \"lifecycle\"?"),
            (
                ["--only", "quux"], 64,
                "unknown check or group. greenroom validate"
            ),
            (["--only", ","], 64, "--only: name checks or groups"),
            (["--only", "audio"], 64, "none of these checks applies to a video source"),
            (["--set", "pattern"], 64, "--set pattern: needs NAME=VALUE"),
            (["--set", "patern=grey"], 64, "ColorBars has no such setting"),
            (["--set", "pattern=gray"], 64, "needs one of bars, grey"),
            (["--list", "--format", "junit"], 64, "Use --format json."),
            (["--format", "xml"], 64, "xml"),
        ])
    func `a wrong argument is reported with the rule and the fix, and no check runs`(
        arguments: [String], code: Int32, text: String
    ) throws {
        let run = try Greenroom.start(["validate", "ColorBars"] + arguments)
            .wait()
        #expect(run.exit == .code(code), "\(run)\n\(run.text)")
        #expect(run.standardError.contains(text), "\(run)")
        #expect(run.text.isEmpty, "something was made: \(run.text)")
    }

    @Test func `a signal ends validate while a library hangs during loading`() throws {
        let hanging = try WrongPlugin(file: "load/hangs-in-entry.c").build()
        let child = try Greenroom.start(["validate", hanging])
        #expect(Runners.wait(for: 1, ofHost: child.id))
        child.signal(SIGTERM)
        let run = child.wait()
        #expect(run.exit == .code(130), "\(run)")
        #expect(Runners.wait(for: 0, ofHost: child.id))
    }

    @Test
    func `the table reports a hanging step once, and JSON lists each blocked check`()
        throws
    {
        let hanging = try WrongPlugin(file: "lifecycle/ignores-stop.c").build()
        let groups = ["--only", "load,lifecycle,negotiation"]
        let table = try Greenroom.start(["validate", hanging] + groups).wait()
        #expect(table.exit == .code(69), "\(table)")
        let cause = "stop-send has not returned"
        #expect(table.text.components(separatedBy: cause).count == 2, "\(table.text)")
        let line = #/ (\d+) checks are skipped because of lifecycle\.stop-in-time;/#
        let count = try #require(table.text.firstMatch(of: line), "\(table.text)").1

        let validation = try Greenroom.validate(hanging, groups)
        #expect(validation.faults.map(\.check) == ["lifecycle.stop-in-time"], "\(validation)")
        let blocked = validation.checks.filter { $0.blockedBy == "lifecycle.stop-in-time" }
        #expect(blocked.count == Int(count) && blocked.count > 10, "\(validation)")
        #expect(
            blocked.allSatisfy {
                $0.outcome == "skipped" && $0.text.contains("has not returned")
            })
    }

    @Test func `a check that can't decide has a separate outcome and exit code`()
        throws
    {
        let folder = try TemporaryFolder()
        let wrong = "\(Checkout.root)/Tests/WrongPlugins"
        // Leaves out a block that is refused, which sounds as if it waited.
        let source = try folder.write(
            "leaves-out.c",
            """
            #define KIND GR_KIND_VIRTUAL_MIC
            #define OWN_SEND_BLOCK
            #include "\(wrong)/good.h"
            #include "\(wrong)/audio/own.h"
            static gr_status send_block(good *me, uint64_t number) {
              int16_t samples[wave_frames * wave_channels];
              good_tune(me, samples, number);
              const gr_audio_block block = {.struct_size = sizeof block, .sample_rate_hz = 48000,
                                            .channels = wave_channels, .frame_count = wave_frames,
                                            .samples = samples, .size_bytes = sizeof samples,
                                            .pts_ns = GR_PTS_UNSTAMPED};
              const gr_status status = me->audio->send(me->sender, &block, 0);
              if (!goes_on(status)) return status;
              return status == GR_STATUS_OK ? status : pause_ms(me, 10);
            }
            """)
        let library = folder("libLeavesOut.so")
        let built = try ChildProcess.run(
            "cc",
            ["-std=c99", "-D_GNU_SOURCE", "-shared", "-fPIC", "-pthread", "-I", Checkout.include]
                + [source, "-o", library])
        #expect(built.exit == .code(0), "\(built)")
        let check = ["--only", "audio.back-pressure"]
        let table = try Greenroom.start(["validate", library] + check).wait()
        #expect(table.exit == .code(75), "\(table)")
        #expect(table.text.contains("  not-proven  audio.back-pressure"), "\(table.text)")
        #expect(table.text.contains(": NOT PROVEN: 1 not-proven "), "\(table.text)")
        let validation = try Greenroom.validate(library, check)
        #expect(validation.checks.map(\.outcome) == ["not-proven"], "\(validation)")
        let report = try Greenroom.start(["validate", library, "--format", "junit"] + check)
            .wait()
        #expect(report.exit == .code(75), "\(report)")
        #expect(report.text.contains("<error message="), "\(report.text)")
        #expect(report.text.contains("errors=\"1\""), "\(report.text)")
    }

    @Test
    func `the list of plugins shows which plugins conform, and under which conditions`()
        throws
    {
        let folder = try TemporaryFolder()
        let library = folder("libCamera.so")
        try folder.write(
            "libCamera.so",
            try readFile(WrongPlugin(file: "lifecycle/gives-up-at-once.c").build()))
        let environment: [String: String?] = [
            "GREENROOM_PLUGIN_PATH": folder.path, "XDG_CACHE_HOME": folder("cache"),
        ]
        func run(_ arguments: String...) throws -> Finished {
            let run = try Greenroom.start(arguments, environment: environment)
                .wait()
            #expect(run.exit == .code(0), "\(run)")
            return run
        }
        func isListed(as word: String) throws -> Bool {
            let lines = try run("plugins").text.split(separator: "\n")
            let line = try #require(lines.first { $0.contains(library) })
            return line.contains("  \(word)  ")
        }
        func info() throws -> String {
            let lines = try run("plugin", "info", library).text.split(separator: "\n")
            return String(try #require(lines.first { $0.contains("validated: ") }))
        }
        #expect(try isListed(as: "-"))

        _ = try run(
            "validate", library, "--still", "--allow-network", "--allow-read", folder.path,
            "--set", "shade=3")
        #expect(
            try isListed(
                as: "conforms, but sent nothing (still, read, network, set shade), with 1 warning"))
        let text = try info()
        let known =
            "conforms, but sent nothing (still, read \(folder.path), network, set shade=3), with 1 "
            + "warning; "
        #expect(text.contains(known), "\(text)")
        #expect(text.contains(#/; \d\d of \d\d checks were skipped$/#), "\(text)")

        // The same report, produced differently.
        let reports = folder("cache/greenroom/reports")
        let file = try #require(
            try FileManager.default.contentsOfDirectory(atPath: reports).first)
        let kept = try readFile("\(reports)/\(file)")
        let report = try #require(
            try JSONSerialization.jsonObject(with: Data(kept)) as? [String: Any])
        func keep(_ change: (inout [String: Any]) -> Void) throws {
            var changed = report
            change(&changed)
            let data = try JSONSerialization.data(withJSONObject: changed)
            try folder.write("cache/greenroom/reports/\(file)", Array(data))
        }
        let results = try #require(report["results"] as? [[String: Any]])
        let plain: [String: Any] = ["isStill": false, "grants": [String](), "settings": [:]]
        try keep { report in
            report.merge(plain) { $1 }
            report["results"] = results.filter { $0["outcome"] as? String != "warning" }
        }
        #expect(try isListed(as: "conforms"))
        #expect(try info().hasSuffix(": conforms"))

        try keep { report in
            report.merge(plain) { $1 }
            var results = results
            results[0]["outcome"] = "not-proven"
            report["results"] = results
        }
        #expect(try isListed(as: "not proven, with 1 warning"))
        #expect(try info().contains(": not proven, with 1 warning"))

        try keep { report in
            report.merge(plain) { $1 }
            report["isStill"] = true
            report["results"] = results.map { result in
                result["outcome"] as? String == "skipped"
                    ? result.merging(["outcome": "warning"]) { $1 } : result
            }.filter { $0["check"] as? String != "lifecycle.whole-life" }
        }
        let skipped = results.count { $0["outcome"] as? String == "skipped" }
        #expect(try isListed(as: "conforms (still), with \(skipped) warnings"))

        try keep { $0["host"] = "0.0.9" }
        #expect(try isListed(as: "stale"))
        let stale = try info()
        #expect(stale.contains("by Greenroom 0.0.9, and this is "), "\(stale)")
    }

    @Test func `a library in the working folder is named by its file name`() throws {
        let folder = try TemporaryFolder()
        try folder.write("libMine.so", try readFile("\(Checkout.products)/libTone.so"))
        func validate(_ plugin: String) throws -> Finished {
            try ChildProcess.run(
                "env",
                [
                    "-C", folder.path, Checkout.greenroom, "validate", plugin, "--only",
                    "load.entry",
                ], environment: Greenroom.environment)
        }
        for (plugin, names) in [
            ("libMine.so", ["Tone", "ToneShareAudio"]), ("libMine.so#Tone", ["Tone"]),
            // An id contains dots, too.
            ("org.greenroom.tone", ["Tone"]),
        ] {
            let run = try validate(plugin)
            #expect(run.exit == .code(0), "\(run)")
            let ends = run.text.split(separator: "\n").filter { $0.contains(": conforms: ") }
            #expect(ends.map { String($0.prefix { $0 != " " }) } == names, "\(run.text)")
        }
    }

    private struct Listed: Decodable {
        var id: String
        var title: String
        var kinds: [String]
        var rule: String
        var fix: String
    }
}
