import GreenroomModel
import Testing

@testable import GreenroomSession

@Suite struct RecordingLogTests {
    private typealias Output = RecordingLog.Output

    @Test(
        arguments: [
            ([], .off),
            ([Output(records: false)], .off),
            ([Output(records: false, isPaused: true)], .off),
            ([Output(records: true)], .on),
            ([Output(records: true, isPaused: true)], .paused),
            // A second recording runs, so people are recorded.
            ([Output(records: true, isPaused: true), Output(records: true)], .on),
            ([Output(records: true, isPaused: true), Output(records: false)], .paused),
        ] as [([RecordingLog.Output], RecordingState)])
    func `the recording state is paused only if every recording is paused`(
        outputs: [RecordingLog.Output], state: RecordingState
    ) {
        var log = RecordingLog()
        let event = log.follow(outputs, at: 0)
        #expect(log.state == state)
        #expect((event == nil) == (state == .off))
    }

    /// The states by second, and the words of the events.
    @Test(
        arguments: [
            (
                [.on, .on, .paused, .paused, .on, .off],
                [
                    "recording-started", "recording-paused", "recording-started",
                    "recording-stopped",
                ], [RecordingLog.Pause(start: 2, end: 4)]
            ),
            (
                [.paused, .on], ["recording-paused", "recording-started"], [.init(start: 0, end: 1)]
            ),
            (
                [.on, .paused, .off, .paused],
                [
                    "recording-started", "recording-paused", "recording-stopped",
                    "recording-paused",
                ], [.init(start: 1, end: 2), .init(start: 3)]
            ),
        ] as [([RecordingState], [String], [RecordingLog.Pause])])
    func `each change is an event, and the pauses are kept`(
        states: [RecordingState], events: [String], pauses: [RecordingLog.Pause]
    ) {
        var log = RecordingLog()
        let seen = states.enumerated().compactMap { second, state in
            log.follow(
                [Output(records: state != .off, isPaused: state == .paused)], at: Int64(second))
        }
        #expect(seen.map(\.record.event.rawValue) == events)
        #expect(log.pauses == pauses)
    }

    @Test func `the report keeps the newest pauses`() {
        var log = RecordingLog()
        for second in 0..<3000 {
            _ = log.follow([Output(records: true, isPaused: second % 2 == 1)], at: Int64(second))
        }
        #expect(log.pauses.count == RecordingLog.limit)
        #expect(log.pauses.last == .init(start: 2999))
    }
}
