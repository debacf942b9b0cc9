import Glibc
import GreenroomHarness
import GreenroomSession
import GreenroomIsolation
import GreenroomMedia

extension Catalogue {
    static let silentBeforeStart = Check(
        "lifecycle.silent-before-start", "nothing is sent before start-send", of: .senders,
        proving: """
            Between initialize and start-send, for a second of session time, the plugin sends \
            nothing and asks for no frame: each such call is answered with GR_STATUS_NOT_STARTED. \
            "initialize: here is your sender, and what the session can take; send nothing yet."
            """
    ) { examination throws(Verdict) in
        let fixture = try examination.fixture()
        try fixture.create()
        try fixture.initialize()
        try fixture.wait(seconds: 1)
        letRealTimePass()
        guard let call = fixture.record.calls.first(where: \.isSend) else { return .passed() }
        let count = fixture.record.calls.count(where: \.isSend)
        return .failed(
            "it called \(call.name) \(count) times before start-send, and was answered "
                + "\(call.status.map { "\($0)" } ?? "nothing"): keep the sender, and begin in "
                + "start-send")
    }

    static let silentAfterStop = Check(
        "lifecycle.silent-after-stop", "nothing is sent after stop-send", of: .senders,
        proving: """
            Once stop-send has returned, the plugin sends nothing and asks for no frame until the \
            next start-send. "stop_send must not return before those threads have ended or have gone \
            idle": a thread that is left behind still uses what uninitialize and destroy take away. \
            Looked at for half a second of session time and a third of a second of real time.
            """
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
                "it called \(call.name) \(later.count) times after stop-send had returned, and was "
                    + "answered \(call.status.map { "\($0)" } ?? "nothing"): join its threads in "
                    + "stop-send, or wait there until they are idle")
        }
    }

    static let deadSender = Check(
        "lifecycle.dead-sender", "the sender is left alone once it is gone", of: .senders,
        proving: """
            From uninitialize on, the plugin does not use its sender any more, whose answer is \
            GR_STATUS_GONE, and nothing of it crashes after destroy has returned, as a thread does \
            that is left behind with memory that was freed.
            """
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
                "it called \(call.name) \(later.count) times from uninitialize on, and was answered "
                    + "\(call.status.map { "\($0)" } ?? "nothing"): forget the sender there"
            ).unless("lifecycle.silent-after-stop")
        }
        try fixture.destroy()
        letRealTimePass()
        if let evidence = fixture.process.evidence {
            return .crashed("after destroy had returned \(evidence)", fixture.process.lines)
        }
        return .passed()
    }

    /// Lets a third of a second of real time pass, in which threads show that should have ended.
    private static func letRealTimePass() { usleep(333_000) }
}
