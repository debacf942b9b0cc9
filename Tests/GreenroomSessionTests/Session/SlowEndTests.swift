import Foundation
import GreenroomABI
import GreenroomMedia
import GreenroomModel
import GreenroomPluginInterface
import Synchronization
import TestSupport
import Testing

@testable import GreenroomLifecycle
@testable import GreenroomOutputs
@testable import GreenroomRuntime
@testable import GreenroomSession

/// Sessions in which a plugin ends slowly, on a clock of the test's.
@Suite(.ownThreads) struct SlowEndTests {
    enum Slow: CaseIterable { case output, composer, filter, call }

    /// The plugins of a session, and what the test sees.
    private final class Scene: Sendable {
        /// The results of the test's thread.
        struct Findings {
            var livesAfterCrash = 0
            var hasStatus = false
            /// The time from the crash to the slate, in milliseconds.
            var slate: Int64 = 0
        }

        let time = ManualTime()
        /// Its second start hangs, so that the slate is due.
        let camera = FakeSource(.init(hangingStart: 2))
        let share = FakeSource()
        let watcher = FakeOutput(
            .init(want: { track, want in want.is_wanted = track.name == "camera" ? 1 : 0 }))
        let session = Mutex<Session?>(nil)
        let events = Mutex<[SessionEvent]>([])
        let findings = Mutex(Findings())
        private let isStopping = Atomic(false)
        private let mayStop = Monitor(false)

        /// The slow stop.
        func stop() {
            isStopping.store(true, ordering: .releasing)
            _ = mayStop.wait(until: nil) { $0 ? true : nil }
        }

        /// Advances the time until a condition holds. Each thread that is due wakes before the next
        /// step.
        private func advance(by step: Int64 = 10_000_000, until isReached: () -> Bool) {
            while !isReached() {
                time.advance(by: step)
                wait { time.nextDeadline ?? .max > time.now }
            }
        }

        /// Waits while the time stands still.
        private func wait(until isReached: () -> Bool) {
            repeat { usleep(1000) } while !isReached()
        }

        private func has(_ isExpected: (SessionEvent) -> Bool) -> Bool {
            events.withLock { $0.contains(where: isExpected) }
        }

        private func watches(_ content: Int) -> Bool {
            watcher.frames.contains { $0.content == UInt32(content) }
        }

        /// Ends the slow plugin, and lets everything else happen meanwhile.
        func play(giveUp: @Sendable () -> Void) {
            advance { watches(GR_CONTENT_NEW) }
            giveUp()
            wait { isStopping.load(ordering: .acquiring) }
            let begin = time.now
            camera.crash()
            // The session notices the crash without a timer, and restarts the camera after 0.5 s.
            wait { has { if case .pluginRestarts = $0 { true } else { false } } }
            let lives = camera.calls["create"] ?? 0
            time.advance(by: 500_000_000)
            wait { camera.calls["create"] == 2 }
            // A command and a question take no time.
            let session = session.withLock { $0 }
            try? session?.perform(.stop(.share))
            wait { share.calls["stop-send"] == 1 }
            let hasStatus = session?.snapshot?.videoTracks.isEmpty == false
            advance { watches(GR_CONTENT_SLATE) }
            let slate = (time.now - begin) / 1_000_000
            findings.withLock {
                $0 = Findings(livesAfterCrash: lives, hasStatus: hasStatus, slate: slate)
            }
            advance(by: 500_000_000) { time.now - begin >= 8_000_000_000 }
            // Ends the start that hangs.
            camera.crash()
            mayStop.change { $0 = true }
            session?.stop()
            advance { has { if case .ended = $0 { true } else { false } } }
        }
    }

    @Test(arguments: Slow.allCases, [Status.ok, .failed])
    func `a plugin whose end takes 8 s delays no restart, no slate and no command`(
        slow: Slow, status: Status
    ) throws {
        let scene = Scene()
        let output = FakeOutput(
            .init(onStop: { scene.stop() }, isReactingCall: slow == .call))
        let filter = FakeSource(.init(onStop: { scene.stop() }))
        var session = try InProcessSession(
            camera: scene.camera.plan(.videoSource, onFailure: .restart),
            filters: slow == .filter ? [filter.plan(.preProcessor, onFailure: .off)] : [],
            share: scene.share.plan(.shareSource), milliseconds: nil)
        session.host = HostClock(scene.time)
        session.plan.configuration.clock = .real
        if slow == .composer {
            session.plan.slots.append(SessionSlot(.stage, FakeComposer(output).plan()))
        }
        let outputs = [scene.watcher] + (slow == .output || slow == .call ? [output] : [])
        for output in outputs {
            session.plan.outputs[session.plan.configuration.outputs.count] = output.plan()
            session.plan.configuration.outputs.append(
                .plugin(PluginConfiguration("FakeOutput")))
        }
        let test = Thread {
            scene.play {
                let handle = slow == .filter ? filter.handle : output.handle
                HostInterface.host.pointee.give_up(handle, status.rawValue, "it is over")
            }
        }
        test.start()
        let result = try session.run(begun: { begun in scene.session.withLock { $0 = begun } }) {
            event in
            scene.events.withLock { $0.append(event) }
            return false
        }
        let findings = scene.findings.withLock { $0 }
        #expect(findings.livesAfterCrash == 1 && findings.hasStatus)
        // While the plugin still stops. `SessionStateTests` has the exact times.
        #expect((1000..<8000).contains(findings.slate), "\(findings)")
        #expect(result.hangs.isEmpty && result.report.outcome == .interrupted)
    }
}
