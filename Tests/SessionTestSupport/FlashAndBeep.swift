import Glibc
import TestSupport

/// The times of flashes and beeps in a recording of the hostile sources that capture them: both at
/// each full second of the session clock.
package struct FlashAndBeep {
    /// The starts of flashes, in seconds of the recording.
    package var flashes: [Double]
    /// The starts of beeps.
    package var beeps: [Double]

    package init(picture: String, sound: String) throws {
        flashes = try Self.flashes(in: picture)
        beeps = try Self.beeps(in: sound)
    }

    /// The delay of each beep after its flash in seconds, if it has one.
    package var delays: [Double] {
        flashes.compactMap { flash in
            beeps.map { $0 - flash }.min { abs($0) < abs($1) }.flatMap { abs($0) < 0.5 ? $0 : nil }
        }
    }

    /// A flash is white for three periods. A frame's brightness is the fraction of its period
    /// within the flash, so the centroid of brightness is the centre of the flash.
    private static func flashes(in path: String) throws -> [Double] {
        let recording = try Y4MRecording(path, indexed: false)
        guard let rate = recording.framesPerSecond else { throw Failure("\(path): no rate") }
        let lights = try recording.eachFrame { Double($0[0]) }.map { max($0 - 16, 0) / 219 }
        var flashes: [Double] = []
        var (light, moment) = (0.0, 0.0)
        for (index, value) in (lights + [0]).enumerated() {
            if value > 0.02 {
                light += value
                moment += value * Double(index)
            } else if light > 0 {
                // A truncated one has no centre.
                if moment / light > 3, index < lights.count {
                    flashes.append((moment / light - 1.5) / rate)
                }
                (light, moment) = (0, 0)
            }
        }
        return flashes
    }

    /// A beep is a sine of 1 kHz from its first sample on, after silence.
    package static func beeps(in path: String) throws -> [Double] {
        // A quarter of the sine's period at 48 kHz: of two neighbours one is loud.
        let step = 12
        let frameBytes = 4
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw Failure("can't open \(path)") }
        defer { close(file) }
        let size = Int(lseek(file, 0, SEEK_END))
        guard size > 0, let mapped = mmap(nil, size, PROT_READ, MAP_PRIVATE, file, 0),
            mapped != MAP_FAILED
        else { throw Failure("can't map \(path)") }
        defer { munmap(mapped, size) }
        let bytes = UnsafeRawBufferPointer(start: mapped, count: size)
        let start = try WAVRecording.dataOffset(bytes.prefix(4096), path)
        let count = (size - start) / frameBytes
        func isLoud(_ frame: Int) -> Bool {
            let sample = bytes.loadUnaligned(
                fromByteOffset: start + frame * frameBytes, as: Int16.self)
            return sample > 1000 || sample < -1000
        }
        var beeps: [Double] = []
        var quietSince = -48_000
        var frame = 0
        while frame < count {
            if isLoud(frame) {
                if frame - quietSince > 4_800 {
                    var first = frame
                    while first > max(frame - step, 0), isLoud(first - 1) { first -= 1 }
                    beeps.append(Double(first) / 48_000)
                }
                quietSince = frame
            }
            frame += step
        }
        return beeps
    }
}
