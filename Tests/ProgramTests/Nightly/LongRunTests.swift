import Foundation
import Glibc
import SessionTestSupport
import TestSupport
import Testing

/// Sessions that run for months.
@Suite(.ownThreads) struct LongRunTests {
    /// What a host and its plugins' processes have together.
    private struct Usage {
        /// Memory that they share with nobody, in KB.
        var memory = 0
        var threads = 0
        /// Without those of the host, where it runs as an ordinary user: no other process may look.
        var descriptors = 0

        /// - Returns: nil while one of them begins or ends.
        init?(of host: pid_t, runners: Int) {
            let processes = [host] + Runners.all(ofHost: host)
            guard processes.count == runners + 1 else { return nil }
            for process in processes {
                guard let memory = Self.value("RssAnon", of: process),
                    let threads = Self.value("Threads", of: process)
                else { return nil }
                self.memory += memory
                self.threads += threads
                let folder = "/proc/\(process)/fd"
                descriptors +=
                    (try? FileManager.default.contentsOfDirectory(atPath: folder))?.count ?? 0
            }
        }

        private static func value(_ name: String, of process: pid_t) -> Int? {
            guard let text = try? readFile("/proc/\(process)/status") else { return nil }
            return String(decoding: text, as: UTF8.self).split(separator: "\n")
                .first { $0.hasPrefix("\(name):") }?
                .split(whereSeparator: { " \t".contains($0) }).dropFirst().first.flatMap { Int($0) }
        }
    }

    @Test func `a session's memory, threads and descriptors do not grow with time`() throws {
        // `Tests/nightly.sh hour` says how long on the real clock.
        let real = getenv("GREENROOM_REAL_MINUTES").flatMap { Int(String(cString: $0)) }
        let minutes = real ?? Nightly.value(24 * 60, byDay: 2)
        let session = try FileSession(
            """
            camera: { plugin: ColorBars, pre-processors: [{ plugin: Adjust }] }
            microphone: { plugin: Tone }
            call: { plugin: LoopbackCall, settings: { script: "Ana 0s camera=64x36@2 microphone" } }
            """, maximum: "64x36@2", duration: "\(minutes)m",
            clock: real == nil ? "virtual" : "real", isolation: "process", outputs: "[]")
        let child = try session.start()
        var usages: [Usage] = []
        while !child.hasEnded {
            if let usage = Usage(of: child.id, runners: 4) { usages.append(usage) }
            usleep(real == nil ? Nightly.value(1_000_000, byDay: 50_000) : 1_000_000)
        }
        let run = child.wait()
        #expect(run.exit == .code(0), "\(run)")
        try #require(usages.count >= 20, "\(run)")
        let early = usages[usages.count / 4..<usages.count / 2]
        // The last ones may be of its end.
        let late = usages[usages.count * 3 / 4..<usages.count - 2]
        // For a moment there may be more, such as the file of `/proc` that the host reads.
        func grows(_ value: KeyPath<Usage, Int>, beyond margin: Int = 0) -> Bool {
            let most = early.map { $0[keyPath: value] }.max() ?? 0
            return late.allSatisfy { $0[keyPath: value] > most + margin }
        }
        #expect(!grows(\.threads), "\(usages.map(\.threads))")
        #expect(!grows(\.descriptors), "\(usages.map(\.descriptors))")
        #expect(!grows(\.memory, beyond: 1024), "\(usages.map(\.memory))")
    }
}
