import Testing

@testable import GreenroomAudio

@Suite struct AudioMixerTests {
    @Test(arguments: [0, 1, 53, 54, 24 * 365, 24 * 365 * 100])
    func `a frame has its exact time after any number of hours`(hours: Int64) {
        let place = hours * 3600 * 48_000 + 480
        #expect(
            AudioMixer.nanoseconds(at: place) == hours * 3600 * 1_000_000_000 + 10_000_000)
    }
}
