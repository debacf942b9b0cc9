import Glibc
import GreenroomALSA
import GreenroomMedia
import Testing
import SystemPackage

@Suite struct ALSAErrorTests {
    @Test(arguments: [
        (ENOENT, "cannot find card '0'", "\"null\""),
        (ENOENT, "Unknown PCM lautsprecher", "`greenroom devices`"),
        (ENOENT, "Cannot access file /tmp/my", "can't contain spaces or colons"),
        (EACCES, "cannot access file /home/me/.asoundrc", "the grant to read it"),
        (ENODEV, "No such device", "\"null\""),
        (EBUSY, "Device or resource busy", "Another program"),
        (EACCES, "Permission denied", "group audio"),
    ])
    func `an ALSA error has ALSA's message and the fix for its cause`(
        code: Int32, message: String, cure: String
    ) {
        let error = ALSAError(
            call: "snd_pcm_open", pcm: "x", underlyingError: Errno(rawValue: code), message: message
        )
        #expect(error.description.hasPrefix("\(message) (snd_pcm_open). "))
        #expect(error.description.contains(cure))
    }

    @Test func `an unknown name is reported with ALSA's own message`() {
        let error = failure(of: "no-such-device", AudioFormat.session)
        #expect(error?.call == "snd_pcm_open")
        #expect(error?.underlyingError == .noSuchFileOrDirectory)
        #expect(error?.message == "Unknown PCM no-such-device")
    }

    @Test func `a name is looked up without opening a device`() throws {
        #expect(PCM.problem(ofName: "null") == nil && PCM.problem(ofName: "hw:31,0") == nil)
        let problem = try #require(PCM.problem(ofName: "no-such-device"))
        #expect(problem.isUnknownName && problem.message == "Unknown PCM no-such-device")
    }

    @Test func `an impossible format is refused without a crash`() {
        for format in [
            AudioFormat(sampleRate: -1, channels: 2), AudioFormat(sampleRate: 48_000, channels: -5),
            AudioFormat(sampleRate: .max, channels: .max),
        ] {
            // ALSA decides whether a device adapts or refuses.
            let error = failure(of: "null", format)
            #expect(error == nil || error?.pcm == "null")
        }
    }

    private func failure(of device: String, _ format: AudioFormat) -> ALSAError? {
        do throws(ALSAError) {
            _ = try PCM(
                opening: device, direction: .playback, format: format, periodFrames: 480,
                bufferFrames: 4800)
            return nil
        } catch {
            return error
        }
    }
}
