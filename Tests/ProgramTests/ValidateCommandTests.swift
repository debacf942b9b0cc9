import Foundation
import Glibc
import SessionTestSupport
import TestSupport
import Testing

/// Tests `greenroom validate` except for the findings of its checks.
@Suite(.ownThreads) struct ValidateCommandTests {
    // MARK: Wrong arguments

    @Test(arguments: [
        (["NoSuch"], 65, "no plugin of this name is installed"),
        (["ColorBar"], 65, "Did you mean \"ColorBars\"?"),
        (["libNoSuch.so"], 65, "libNoSuch.so: No such file"),
        (["\(Checkout.products)/libTone.so#Tony"], 65, "It has: Tone, ToneShareAudio"),
        ([], 64, "Name a plugin"),
    ])
    func `a file that is not a plugin is reported`(arguments: [String], code: Int32, text: String)
        throws
    {
        let run = try Greenroom.start(["validate"] + arguments).wait()
        #expect(run.exit == .code(code), "\(run)\n\(run.text)")
        #expect(run.standardError.contains(text), "\(run)")
    }

    // MARK: The end

    /// The processes of checks that a validator has started.
    private func workers(of validator: pid_t) -> [pid_t] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { pid_t($0) }.filter { process in
            guard let words = try? readFile("/proc/\(process)/cmdline").split(separator: 0),
                words.count == 2, words[1].elementsEqual("check-worker".utf8),
                let status = try? readFile("/proc/\(process)/status")
            else { return false }
            return String(decoding: status, as: UTF8.self).contains("\nPPid:\t\(validator)\n")
        }
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func `a signal ends validate with all its processes`(number: Int32) throws {
        // A plugin whose check takes longer than the test waits.
        let hanging = try WrongPlugin(file: "lifecycle/hangs-in-start.c").build()
        let child = try Greenroom.start(["validate", hanging, "--format", "json"])
        var workers: [pid_t] = []
        var runners: [pid_t] = []
        let isAtWork = waitUntil {
            workers = self.workers(of: child.id)
            runners = workers.flatMap { Runners.all(ofHost: $0) }
            return !runners.isEmpty
        }
        #expect(isAtWork)
        child.signal(number)
        let run = child.wait()
        #expect(run.exit == .code(130), "\(run)")
        #expect(
            run.standardError
                == "greenroom: interrupted: partial results are not reported.\n")
        #expect(run.text.isEmpty, "half a report: \(run.text)")
        #expect(self.workers(of: child.id).isEmpty)
        let areGone = waitUntil {
            workers.allSatisfy { Runners.all(ofHost: $0).isEmpty }
                && (workers + runners).allSatisfy { !Self.lives($0) }
        }
        #expect(areGone, "workers \(workers), runners \(runners)")
    }

    /// Whether a process runs; one that has ended and is not reaped does not.
    private static func lives(_ process: pid_t) -> Bool {
        guard let bytes = try? readFile("/proc/\(process)/stat") else { return false }
        let text = String(decoding: bytes, as: UTF8.self)
        let state = text.split(separator: ")").last?.trimmingCharacters(in: .whitespaces).first
        return state != "Z" && state != "X"
    }
}
