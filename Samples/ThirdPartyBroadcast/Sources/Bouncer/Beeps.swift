import Glibc
import GreenroomBroadcast
import GreenroomPlugin

/// A beep at the beginning of each second.
struct Beeps: ScreenAudio {
    static let plugin = PluginDescription(
        id: "com.example.beeps", name: "Beeps", version: "1.0.0", summary: "A beep each second")

    init(settings: NoSettings, host: PluginHost) {}

    func fill(_ samples: inout MutableSpan<Int16>, at time: SampleTime) {
        for index in samples.indices {
            let place = Int(time.index) + index
            guard place % 48_000 < 4_800 else { continue }
            samples[index] = Int16(8_000 * sin(Double(place) * 2 * .pi * 1_000 / 48_000))
        }
    }
}
