import GreenroomHarness
import GreenroomSession
import GreenroomMedia

extension Catalogue {
    static let giveUp = Check(
        "lifecycle.give-up", "giving up is for good", of: .senders,
        proving: """
            A source that calls give_up in its first three seconds calls it once, and sends nothing \
            more: "the source is lost for good, and nothing more will be sent". A few calls that \
            other threads had begun are tolerated. It can then be stopped and ended like any other.
            """
    ) { examination throws(Verdict) in
        let fixture = try examination.fixture()
        try fixture.start()
        try fixture.wait(seconds: 3)
        try fixture.end()
        let calls = fixture.record.calls
        guard let first = calls.firstIndex(where: { $0.request == .giveUp }) else {
            return .passed("it has not given up")
        }
        let later = calls[(first + 1)...]
        if later.contains(where: { $0.request == .giveUp }) {
            return .failed(
                "it called give_up \(later.count { $0.request == .giveUp } + 1) times: once is for "
                    + "good")
        }
        let sent = later.count { $0.isSend && $0.status == .ok }
        guard sent <= 4 else {
            return .failed(
                "it made \(sent) calls of its sender after give_up: end its threads then, or don't "
                    + "give up")
        }
        return .passed()
    }
}
