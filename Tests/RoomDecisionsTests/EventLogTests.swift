import Testing

@testable import RoomDecisions

@Suite struct EventLogTests {
    private func log(_ count: Int, mostEvents: Int = 4, mostBytes: Int = 1000) -> EventLog {
        var log = EventLog(mostEvents: mostEvents, mostBytes: mostBytes)
        for number in 1...count { log.add("{\"event\":\(number)}") }
        return log
    }

    /// What a reader gets from a number on: how many were lost, and the first and last number.
    @Test(
        arguments: [
            (from: 1, lost: 6, first: 7, last: 10), (from: 6, lost: 1, first: 7, last: 10),
            (from: 7, lost: 0, first: 7, last: 10), (from: 10, lost: 0, first: 10, last: 10),
            // The next one, and numbers of another room.
            (from: 11, lost: 0, first: nil, last: nil), (from: 500, lost: 0, first: nil, last: nil),
            (from: 0, lost: 0, first: nil, last: nil), (from: .min, lost: 0, first: nil, last: nil),
        ] as [(from: Int, lost: Int, first: Int?, last: Int?)])
    func `a reader gets the stored events, and the number of dropped ones`(
        from: Int, lost: Int, first: Int?, last: Int?
    ) {
        let read = log(10).events(from: from)
        #expect(read.lost == lost)
        #expect(read.events.first?.number == first)
        #expect(read.events.last?.number == last)
    }

    @Test func `the log's bytes are bounded, and the newest event is always kept`() {
        var log = log(3, mostBytes: 30)
        #expect(log.first == 2 && log.next == 4)
        log.add(String(repeating: "x", count: 500))
        #expect(log.first == 4 && log.next == 5)
    }

    @Test func `an event is sent with its number`() {
        #expect(
            EventLog.Event(number: 7, json: "{}").serverSent == "id: 7\ndata: {}\n\n")
        #expect(EventLog.Event.lost(3) == "event: lost\ndata: {\"lost\":3}\n\n")
    }

    @Test(
        arguments: [
            (#"{"event":"recording-started","level":"info"}"#, .on),
            (#"{"event":"recording-paused"}"#, .paused),
            (#"{"event":"recording-stopped"}"#, .off),
            (#"{"event":"recording-else"}"#, nil),
            (#"{"event":"log","text":"\"recording-paused\""}"#, nil),
            (#"{"event":"started"}"#, nil), (#"{"recording-paused""#, nil),
        ] as [(String, EventLog.Recording?)])
    func `the state of a recording is read only from recording events`(
        json: String, recording: EventLog.Recording?
    ) {
        #expect(EventLog.recording(after: json) == recording)
    }

    @Test(
        arguments: [
            (#"{"event":"commanded","origin":"command 7 of call","text":"camera stopped"}"#, true),
            (#"{"event":"note","role":"command 7 of call","text":"camera stopped"}"#, false),
            (#"{"event":"commanded","origin":"command 71 of call","text":"camera stopped"}"#, nil),
            (#"{"event":"log","role":"camera","text":"command 7 of call"}"#, nil),
            (#"{"event":"commanded","origin":"control line 7","text":"camera stopped"}"#, nil),
            ("command 7 of call", nil),
        ] as [(String, Bool?)])
    func `the outcome of a command is in its event`(json: String, isDone: Bool?) {
        let outcome = CommandOutcome(of: 7, in: json)
        #expect(outcome?.isDone == isDone)
        #expect(outcome == nil || outcome?.text == "camera stopped")
    }

    @Test func `messages of other plugins are shown, and the room's own are skipped`() {
        func message(_ origin: String) -> (author: String?, text: String)? {
            EventLog.message(
                in: #"{"author":"Bot","event":"message","origin":"\#(origin)","text":"hello"}"#)
        }
        #expect(message("command 3 of outputs[0]")?.author == "Bot")
        #expect(message("command 3 of outputs[0]")?.text == "hello")
        #expect(message("command 3 of call")?.text == nil)
        #expect(
            EventLog.message(in: #"{"event":"log","text":"\"event\":\"message\""}"#)?.text == nil)
    }

    @Test func `a message command is one line, and a name cannot end at a colon`() {
        #expect(MessageRelay.command("hi\nall", from: nil) == "message hi all")
        #expect(MessageRelay.command("hi", from: "A: B") == "message from A:B: hi")
    }
}
