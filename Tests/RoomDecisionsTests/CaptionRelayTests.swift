import RoomDecisions
import Testing

@Suite struct CaptionRelayTests {
    @Test func `captions are numbered, and the newest four stay`() {
        var relay = CaptionRelay()
        for number in 1...6 {
            let taken = relay.take(
                #"{"event":"caption","role":"call","speaker":"Ana","text":"line \#(number)"}"#)
            #expect(taken)
        }
        #expect(relay.captions.map(\.number) == [3, 4, 5, 6])
        #expect(relay.captions.map(\.text) == (3...6).map { "line \($0)" })
        #expect(relay.captions.allSatisfy { $0.speaker == "Ana" })
    }

    @Test(
        arguments: [
            #"{"event":"note","text":"x"}"#, #"{"event":"log","text":"\"event\":\"caption\""}"#,
            #"{"event":"caption","text":""}"#, #"{"event":"caption"}"#, #"{"event":"caption","#,
        ])
    func `an event that is not a caption with a text is ignored`(json: String) {
        var relay = CaptionRelay()
        let taken = relay.take(json)
        #expect(!taken)
        #expect(relay.captions.isEmpty)
    }

    @Test func `a caption with line breaks becomes one line`() {
        var relay = CaptionRelay()
        let taken = relay.take(#"{"event":"caption","text":"one\ntwo"}"#)
        #expect(taken)
        #expect(relay.captions.first?.text.contains("\n") == false)
        #expect(relay.captions.first?.speaker == nil)
    }
}
