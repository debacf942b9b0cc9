import ZoomStyle

// The app's side, which the guide leaves open: frames and audio.

/// A frame in memory that is filled anew for each frame.
final class Picture: @unchecked Sendable {
    let width: UInt
    let height: UInt
    let length: UInt
    let rotation = ZoomVideoSDKVideoRawDataRotation.none
    let format = ZoomVideoSDKFrameDataFormat.I420_Limit
    let buffer: UnsafeMutablePointer<CChar>
    private var number = 0

    init(_ width: UInt, _ height: UInt) {
        (self.width, self.height) = (width, height)
        length = width * height * 3 / 2
        buffer = .allocate(capacity: Int(length))
        memset(buffer, 128, Int(length))
    }

    /// A ramp of luma from left to right under a bright bar that moves.
    func next() -> Picture {
        number += 1
        let bar = number * 4 % Int(width)
        var row = [UInt8](repeating: 0, count: Int(width))
        for x in row.indices { row[x] = UInt8(40 + x * 120 / Int(width)) }
        for x in bar..<min(bar + 8, row.count) { row[x] = 220 }
        for y in 0..<Int(height) { memcpy(buffer + y * row.count, row, row.count) }
        return self
    }
}

private let camera = Picture(1280, 720)
private let screen = Picture(1280, 720)

func captureNextFrame() -> Picture { camera.next() }
func captureShareFrame() -> Picture { screen.next() }

/// 10 ms of a tone of 440 Hz.
final class Chunk: @unchecked Sendable {
    let sampleRate: UInt32 = 32_000
    let length: UInt32 = 640
    let buffer = UnsafeMutablePointer<CChar>.allocate(capacity: 640)
    private var index = 0

    func next() -> Chunk {
        buffer.withMemoryRebound(to: Int16.self, capacity: 320) { samples in
            for sample in 0..<320 {
                samples[sample] = Int16(6000 * sin(2 * .pi * 440 * Double(index) / 32_000))
                index += 1
            }
        }
        return self
    }
}

private let tone = Chunk()

func nextAudioChunk() -> Chunk { tone.next() }

/// Inverts luma.
func invert(_ frame: ZoomVideoSDKPreProcessRawData) {
    for y in 0..<Int32(frame.size.height) {
        guard let row = frame.getYBuffer(y) else { return }
        for x in 0..<Int(frame.size.width) {
            row[x] = CChar(bitPattern: 251 &- UInt8(bitPattern: row[x]))
        }
    }
}
