import Glibc
import GreenroomHarness
import GreenroomLifecycle
import GreenroomIsolation
import GreenroomMedia

extension Catalogue {
    static let silentBeforeStart = Check(
        "lifecycle.silent-before-start", "nothing is sent before start-send", of: .senders,
        rule: "Nothing is sent before start-send.",
        why: """
            Each such call gets GR_STATUS_NOT_STARTED: "here is your sender, and what the \
            session can take; send nothing yet".
            """,
        measured: """
            A second of session time between initialize and start-send, without a send or \
            an acquired frame.
            """,
        fix: "Start the sending thread in start-send."
    ) { examination throws(Verdict) in
        let fixture = try examination.fixture()
        try fixture.create()
        try fixture.initialize()
        try fixture.wait(seconds: 1)
        letRealTimePass()
        guard let call = fixture.record.calls.first(where: \.isSend) else { return .passed() }
        let count = fixture.record.calls.count(where: \.isSend)
        return .failed(
            "called \(call.name) \(count) times before start-send, answered "
                + "\(call.status.map { "\($0)" } ?? "nothing"): keep the sender, and begin in "
                + "start-send")
    }

    static let silentAfterStop = Check(
        "lifecycle.silent-after-stop", "nothing is sent after stop-send", of: .senders,
        rule: "Nothing is sent after stop-send, until the next start-send.",
        why: """
            "stop_send must not return before these threads have ended or are idle": a \
            thread that still runs uses memory that uninitialize and destroy free.
            """,
        measured: """
            Half a second of session time and a third of a second of real time after \
            stop-send.
            """,
        fix: "Join the sending thread in stop-send."
    ) { examination throws(Verdict) in
        try examination.onItsClock { fixture throws(Verdict) in
            try fixture.start()
            try fixture.wait(seconds: 0.5)
            try fixture.stopSend()
            let before = fixture.record.calls.count
            try fixture.wait(seconds: 0.5)
            letRealTimePass()
            let later = fixture.record.calls[before...].filter(\.isSend)
            guard let call = later.first else { return .passed() }
            return .failed(
                "called \(call.name) \(later.count) times after stop-send had returned, "
                    + "answered \(call.status.map { "\($0)" } ?? "nothing"): join its threads in "
                    + "stop-send, or wait there until they are idle")
        }
    }

    static let deadSender = Check(
        "lifecycle.dead-sender", "the sender is not used after uninitialize", of: .senders,
        rule: "The sender is not used after uninitialize.",
        why: "The sender answers GR_STATUS_GONE, and a leftover thread touches freed memory.",
        measured: """
            Every call from uninitialize on, and a while after destroy has returned, where \
            nothing may crash.
            """,
        fix: "Forget the sender in uninitialize, after all threads have ended."
    ) { examination throws(Verdict) in
        let fixture = try examination.fixture()
        try fixture.start()
        try fixture.wait(seconds: 0.5)
        try fixture.stopSend()
        let before = fixture.record.calls.count
        try fixture.uninitialize()
        letRealTimePass()
        let later = fixture.record.calls[before...].filter(\.isSend)
        if let call = later.first(where: { $0.status == .gone }) ?? later.first {
            return .failed(
                "called \(call.name) \(later.count) times from uninitialize on, answered "
                    + "\(call.status.map { "\($0)" } ?? "nothing"): forget the sender there"
            ).unless("lifecycle.silent-after-stop")
        }
        try fixture.destroy()
        // On a busy machine a crash becomes visible later.
        for _ in 0..<4 where fixture.process.evidence == nil {
            let noise = SchedulingNoise(process: fixture.process.process)
            letRealTimePass()
            if noise.wasCalm { break }
        }
        if let evidence = fixture.process.evidence {
            return .crashed("after destroy had returned \(evidence)", fixture.process.lines)
        }
        return .passed()
    }

    /// Waits a third of a second of real time, in which leftover threads become visible.
    private static func letRealTimePass() { usleep(333_000) }
}
