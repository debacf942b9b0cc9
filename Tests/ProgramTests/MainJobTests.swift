import Glibc
import SessionTestSupport
import TestSupport
import Testing

/// Tests the main use: real footage with a watermark, voices and slides.
@Suite(.ownThreads) struct MainJobTests {
    /// The folder of real media that Tests/run.sh prepares.
    static let media = Checkout.root + "/.build/media"

    /// Whether two frames are equal in the lower left quarter, outside the watermark.
    private func isSame(_ one: YUVImage, _ other: YUVImage) -> Bool {
        (one.height / 2..<one.height).allSatisfy { row in
            let place = row * one.width
            return one.y[place..<place + one.width / 2] == other.y[place..<place + one.width / 2]
        }
    }

    @Test(
        .enabled(
            if: access(media + "/ready", F_OK) == 0,
            "Tests/run.sh prepares real media in .build/media"))
    func `the recording of the main sample equals its input`() throws {
        let session = try FileSession("")
        let run = try Greenroom.run(
            "run", Checkout.root + "/Samples/main.yaml", "--virtual-clock", "--duration", "3s",
            "--set", "share.settings.seconds=1", "--set",
            "outputs=[{ record: \"\(session.recording)\" }]")
        #expect(run.exit == .code(0), "\(run)")
        let report = try session.expectTrueReport(run)

        // Each frame is from the footage, in order and complete except for repeats.
        let footage = try Y4MRecording(Self.media + "/street.y4m")
        let camera = try session.picture("camera")
        #expect(camera.width == footage.width && camera.height == footage.height)
        let rate = try #require(footage.framesPerSecond)
        #expect(camera.framesPerSecond == rate && camera.frameCount == Int((3 * rate).rounded()))
        var places: [Int] = []
        for index in 0..<camera.frameCount {
            let frame = try camera.frame(index)
            let next = places.last ?? 0
            let place = try (next..<min(next + 30, footage.frameCount)).first {
                isSame(frame, try footage.frame($0))
            }
            places.append(try #require(place, "frame \(index) is none of the footage"))
        }
        // At its own speed: it may have begun late, and have caught up.
        #expect((places.last ?? 0) - (places.first ?? 0) <= camera.frameCount, "\(places)")
        let repeats = zip(places.dropFirst(), places).filter { $0 == $1 }.count
        #expect(try repeats == report.picture("camera").outputs[0].repeated, "\(places)")

        // The logo is in the top right corner only.
        let last = camera.frameCount - 1
        let (marked, unmarked) = (try camera.frame(last), try footage.frame(places[last]))
        let columns = marked.width * 3 / 4..<marked.width
        let isMarked = (0..<marked.height / 4).contains { row in
            columns.contains { abs(marked[$0, row].y - unmarked[$0, row].y) > 20 }
        }
        #expect(isMarked)

        // The voices are complete, between the silences that the report counts.
        let voices = try WAVRecording(Self.media + "/voices.wav")
        let sound = try session.sound("camera")
        #expect(voices.sampleRate == 48_000 && sound.frameCount == 144_000)
        #expect(sound.channels[1] == sound.channels[0])
        let counts = try report.sound("microphone")
        if counts.concealed == 0 {
            let voice = voices.channels[0]
            let silence = try #require(voice.firstIndex { $0 != 0 })
            // Audio before the session's start is early: on a busy machine more than the first silence.
            let cut = counts.beforeStart > silence ? counts.beforeStart : 0
            let begin = try #require(voice[cut...].firstIndex { $0 != 0 }) - cut
            let heard = try #require(sound.channels[0].firstIndex { $0 != 0 })
            let lead = max(heard - begin, 0)
            let early = cut + max(begin - heard, 0)
            #expect(lead <= counts.idle && early <= counts.beforeStart, "\(counts)")
            let played = sound.channels[0].dropFirst(lead).prefix(counts.played)
            let isSame = zip(played, voice.dropFirst(early)).allSatisfy { $0 == $1 }
            #expect(isSame, "\(counts)")
        }

        // One slide a second.
        let share = try session.picture("share")
        let shareRate = try #require(share.framesPerSecond)
        #expect(share.frameCount == Int((3 * shareRate).rounded()) && share.width == 1280)
        var slides: [YUVImage] = []
        for index in 0..<share.frameCount {
            let frame = try share.frame(index)
            if slides.last != frame { slides.append(frame) }
        }
        #expect((3...4).contains(slides.count), "\(slides.count) slides in 3 s")
        for slide in slides { #expect(Set(slide.y).count > 50, "a real picture") }
    }
}
