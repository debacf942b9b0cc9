import Glibc
import GreenroomALSA
import GreenroomMedia
import Testing
import SystemPackage

/// ALSA's `null` device, which every machine has.
@Suite struct PCMTests {
    private func null(_ direction: PCM.Direction) throws(ALSAError) -> PCM {
        try PCM(
            opening: "null", direction: direction,
            format: AudioFormat(sampleRate: 44_100, channels: 1), periodFrames: 441,
            bufferFrames: 4410)
    }

    @Test func `a device reports its actual format`() throws {
        let pcm = try null(.playback)
        let (rate, channels, buffer) = (pcm.sampleRate, pcm.channels, pcm.bufferFrames)
        #expect(rate == 44_100)
        #expect(channels == 1)
        #expect(buffer >= 4410)
    }

    @Test func `a started device plays and drains`() throws {
        var pcm = try null(.playback)
        let buffer = pcm.bufferFrames
        let samples = [Int16](repeating: 0, count: 441)
        let written = try pcm.write(samples.span)
        #expect(written == 441)
        try pcm.start()
        let (room, delay) = (try pcm.availableFrames, try pcm.delayFrames)
        #expect(room == buffer, "it has no clock")
        #expect(delay == 0)
        let drained = try pcm.drain(milliseconds: 100)
        #expect(drained)
    }

    @Test func `a capture fills the buffer that it is given`() throws {
        var pcm = try null(.capture)
        try pcm.start()
        var samples = [Int16](repeating: 0, count: 100)
        let isReady = try pcm.wait(milliseconds: 1000)
        var span = samples.mutableSpan
        let read = try pcm.read(into: &span)
        #expect(isReady)
        #expect(read == 100)
    }

    @Test func `only underruns, overruns and suspends are recovered`() throws {
        var pcm = try null(.playback)
        for code in [EPIPE, ESTRPIPE] {
            try pcm.recover(
                from: ALSAError(
                    call: "", pcm: "null", underlyingError: Errno(rawValue: code), message: ""))
        }
        let gone = ALSAError(
            call: "", pcm: "null", underlyingError: Errno(rawValue: ENODEV), message: "gone")
        var thrown: ALSAError?
        do throws(ALSAError) { try pcm.recover(from: gone) } catch { thrown = error }
        #expect(thrown?.underlyingError.rawValue == ENODEV)
    }
}
