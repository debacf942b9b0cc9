import Glibc
import SessionTestSupport
import TestSupport
import Testing

extension SupportTests {
    @Test func `a temporary folder is removed`() throws {
        var folder: TemporaryFolder? = try TemporaryFolder()
        let path = try #require(folder?.path)
        try folder?.write("file", "text")
        #expect(access(path + "/file", F_OK) == 0)
        folder = nil
        #expect(access(path, F_OK) == -1)
    }

    @Test func `frames of ffmpeg are read back`() throws {
        let folder = try TemporaryFolder()
        let path = folder("red.y4m")
        let source =
            "color=c=0xC82828:s=64x36:r=25:d=0.4,format=rgb24,crop=63:35:0:0:exact=1,format=yuv420p"
        let made = try ChildProcess.run(
            "ffmpeg", ["-v", "error", "-f", "lavfi", "-i", source, "-f", "yuv4mpegpipe", path])
        #expect(made.exit == .code(0), "\(made)")
        let recording = try Y4MRecording(path)
        try #require(recording.width == 63 && recording.height == 35)
        #expect(recording.framesPerSecond == 25)
        #expect(recording.frameCount == 10 && recording.trailingBytes == 0)
        let expected = YUV.of((200, 40, 40), kr: 0.299, kb: 0.114, isFull: false)
        #expect(try recording.frame(9)[62, 34].isNear(expected, within: 2))
        let stream = try #require(try FFProbe(path).streams.first)
        #expect(stream.width == 63 && stream.frameCount == "10")
    }

    @Test func `a truncated file is detected`() throws {
        let folder = try TemporaryFolder()
        let frame = "FRAME\n" + String(repeating: "x", count: 6)
        let path = try folder.write("cut.y4m", "YUV4MPEG2 W2 H2 F30:1\n\(frame)\(frame)FRAME\nxx")
        let recording = try Y4MRecording(path)
        #expect(recording.frameCount == 2 && recording.trailingBytes == 8)
    }

    @Test func `a tone of ffmpeg is measured`() throws {
        let folder = try TemporaryFolder()
        let path = folder("tone.wav")
        let sine = "0.125*sin(2*PI*997*t)"
        let made = try ChildProcess.run(
            "ffmpeg",
            ["-v", "error", "-f", "lavfi", "-i", "aevalsrc=\(sine)|\(sine):s=48000:d=1", path])
        #expect(made.exit == .code(0), "\(made)")
        let sound = try WAVRecording(path)
        #expect(sound.sampleRate == 48000 && sound.channels.count == 2)
        #expect(sound.frameCount == 48000 && sound.headerExcessBytes == 0)
        var left = sound.channels[0]
        let frequency = try #require(Tone.frequency(of: left, rate: 48000))
        #expect(abs(frequency - 997) < 0.1)
        let amplitude = Tone.amplitude(of: 997, in: left, rate: 48000)
        #expect(abs(amplitude - 4096) < 5)
        #expect(Tone.amplitude(of: 1200, in: left, rate: 48000) < 10)
        #expect(Tone.breaks(in: left, frequency: 997, rate: 48000, tolerance: 8).isEmpty)
        left.remove(at: 24000)
        let breaks = Tone.breaks(in: left, frequency: 997, rate: 48000, tolerance: 8)
        #expect(breaks.contains { (23990...24010).contains($0) }, "one lost sample is found")
    }

    @Test func `answers are read from a log`() {
        let log = """
            12:00:00 info camera: status short-luma 15 BAD_LENGTH: video.send: too short. Pass all.
            camera: status good-frame 0
            nothing to see
            status odd -1 
            """
        #expect(
            Answer.all(in: log) == [
                Answer(
                    call: "short-luma", status: 15,
                    text: "BAD_LENGTH: video.send: too short. Pass all."),
                Answer(call: "good-frame", status: 0, text: ""),
                Answer(call: "odd", status: -1, text: ""),
            ])
    }

    @Test func `a burnt-in code is read, and a broken one is not`() throws {
        // Index 0x0012A5 and 0x00FF01 ms; the bytes' sum is 0x1B7, of which 255 - 0xB7 is 0x48.
        let rows: [UInt16] = [0xA001, 0x2A50, 0x0FF0, 0x1485]
        var picture = YUVImage(
            width: 128, height: 64, y: [UInt8](repeating: 100, count: 128 * 64), u: [], v: [])
        for (row, bits) in rows.enumerated() {
            for column in 0..<16 {
                for y in row * 4..<row * 4 + 4 {
                    for x in column * 4..<column * 4 + 4 {
                        picture.y[y * 128 + x] = bits >> (15 - column) & 1 == 1 ? 235 : 16
                    }
                }
            }
        }
        let code = try #require(BurntInCode(picture))
        #expect(code.index == 0x0012A5 && code.milliseconds == 0x00FF01)
        for x in 36..<40 { for y in 4..<8 { picture.y[y * 128 + x] ^= 0xff } }
        #expect(BurntInCode(picture) == nil)
    }
}
