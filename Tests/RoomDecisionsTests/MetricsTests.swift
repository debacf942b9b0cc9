import RoomAccess
import RoomDecisions
import Testing

@Suite struct MetricsTests {
    private static let report = """
        {"session":"lobby","seconds":12.5,"outcome":"running","draining":true,
        "processorSeconds":3.25,"plugins":[{"role":"camera","name":"Bars \\"x\\"","state":"sending",
        "losses":[{"seconds":1,"policy":"restart"},{"seconds":9,"policy":"off"}]}],
        "videoTracks":[{"track":"camera","account":{"realPercent":96.4},"sent":30,"accepted":29,"carried":28,"refused":{"BAD_SIZE":1},
        "superseded":1,"discarded":0,"overRate":0,"unconvertible":0,"withheld":0,
        "outputs":[{"output":"y4m","delivered":28,"repeated":2,"black":0,"slate":0,"excess":0,
        "queueFull":0,"beforeStart":1,"unwanted":0,"afterEnd":0,"unconvertible":0,"failed":0}]}],
        "audioTracks":[{"role":"microphone","account":{},"played":480000,"concealed":24000,"idle":0,"muted":0}],
        "outputPlugins":[{"role":"call","plugin":"WebRoom","values":{"viewers":2,"encode":1.5}}]}
        """

    @Test func `a session's report becomes Prometheus metrics`() throws {
        var metrics = try #require(Metrics(report: Self.report))
        metrics.add(gauge: "room_viewers", "Connections that watch or listen.", 3)
        let text = metrics.text
        let lines = text.split(separator: "\n").map(String.init)
        for line in [
            #"greenroom_session_running{session="lobby"} 1"#,
            #"greenroom_session_seconds{session="lobby"} 12.5"#,
            #"greenroom_plugin_state{session="lobby",role="camera",plugin="Bars \"x\"",state="sending"} 1"#,
            #"greenroom_plugin_losses_total{session="lobby",role="camera",plugin="Bars \"x\""} 2"#,
            #"greenroom_plugin_restarts_total{session="lobby",role="camera",plugin="Bars \"x\""} 1"#,
            #"greenroom_session_draining{session="lobby"} 1"#,
            #"greenroom_processor_seconds_total{session="lobby"} 3.25"#,
            #"greenroom_track_real_ratio{session="lobby",track="camera"} 0.964"#,
            #"greenroom_video_frames_total{session="lobby",track="camera",state="accepted"} 29"#,
            #"greenroom_video_frames_refused_total{session="lobby",track="camera",status="BAD_SIZE"} 1"#,
            #"greenroom_video_frames_dropped_total{session="lobby",track="camera",reason="superseded"} 1"#,
            #"greenroom_output_frames_total{session="lobby",track="camera",output="y4m",content="repeated"} 2"#,
            #"greenroom_audio_seconds_total{session="lobby",role="microphone",state="concealed"} 0.5"#,
            #"greenroom_output_value{session="lobby",role="call",plugin="WebRoom",name="encode"} 1.5"#,
            #"greenroom_room_viewers{session="lobby"} 3"#,
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
    func `a text that is not a report gives no metrics`(json: String) {
        #expect(Metrics(report: json) == nil)
    }
}
