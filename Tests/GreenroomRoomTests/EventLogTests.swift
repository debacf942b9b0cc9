import Testing

@testable import GreenroomRoom

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
    func `a reader gets what there is, and how many have gone`(
        from: Int, lost: Int, first: Int?, last: Int?
    ) {
        let read = log(10).events(from: from)
        #expect(read.lost == lost)
        #expect(read.events.first?.number == first)
        #expect(read.events.last?.number == last)
    }

    @Test func `bytes are bounded, too, and the newest event stays`() {
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
}

@Suite struct MetricsTests {
    private static let report = """
        {"seconds":12.5,"outcome":"running","plugins":[
        {"role":"camera","name":"Bars \\"x\\"","state":"sending","losses":[{"seconds":1}]}],
        "pictures":[{"track":"camera","sent":30,"accepted":29,"carried":28,"refused":{"BAD_SIZE":1},
        "superseded":1,"discarded":0,"overRate":0,"unconvertible":0,"lostInFilter":0,"withheld":0,
        "outputs":[{"output":"y4m","delivered":28,"repeated":2,"black":0,"slate":0,"excess":0,
        "queueFull":0,"late":0,"unconvertible":0,"failed":0}]}],
        "sounds":[{"role":"microphone","played":480000,"concealed":24000,"idle":0,"muted":0}],
        "outputPlugins":[{"role":"call","plugin":"WebRoom","values":{"viewers":2,"encode":1.5}}]}
        """

    @Test func `a report is counters of Prometheus`() throws {
        let text = try #require(Metrics(report: Self.report, viewers: 3, guests: 1)).text
        let lines = text.split(separator: "\n").map(String.init)
        for line in [
            "greenroom_session_seconds 12.5",
            #"greenroom_plugin_state{role="camera",plugin="Bars \"x\"",state="sending"} 1"#,
            #"greenroom_plugin_losses_total{role="camera",plugin="Bars \"x\""} 1"#,
            #"greenroom_video_frames_total{track="camera",state="accepted"} 29"#,
            #"greenroom_video_frames_refused_total{track="camera",status="BAD_SIZE"} 1"#,
            #"greenroom_video_frames_dropped_total{track="camera",reason="superseded"} 1"#,
            #"greenroom_output_frames_total{track="camera",output="y4m",content="repeated"} 2"#,
            #"greenroom_audio_seconds_total{role="microphone",state="concealed"} 0.5"#,
            #"greenroom_output_value{role="call",plugin="WebRoom",name="encode"} 1.5"#,
            "greenroom_room_viewers 3", "greenroom_room_guests 1",
        ] {
            #expect(lines.contains(line), "\(line)\n\(text)")
        }
        // Each family has its help and its type once, before its samples.
        let families = lines.filter { $0.hasPrefix("# TYPE ") }.map { $0.split(separator: " ")[2] }
        #expect(Set(families).count == families.count)
        for line in lines where !line.hasPrefix("#") {
            let name = line.prefix { $0 != "{" && $0 != " " }
            #expect(families.contains(name), "\(line)")
        }
        #expect(text.hasSuffix("\n"))
    }

    @Test(arguments: ["", "{}", "[]", "{\"seconds\":1}"])
    func `another text is no report`(json: String) {
        #expect(Metrics(report: json, viewers: 0, guests: 0) == nil)
    }
}
