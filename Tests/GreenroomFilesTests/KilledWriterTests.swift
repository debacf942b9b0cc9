import Glibc
import GreenroomFiles
import GreenroomMedia
import TestSupport
import Testing

@Suite(.ownThreads) struct KilledWriterTests {
    /// Pictures that take long enough to write for a signal to interrupt.
    private static let size = FrameSize(width: 3840, height: 2160)

    @Test(arguments: [0, 3, 7, 20, 50] as [UInt32])
    func `the file of a killed process is valid up to its last frame`(milliseconds: UInt32)
        async throws
    {
        let folder = try TemporaryFolder()
        let film = folder("film.y4m")
        let sound = folder("sound.wav")
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [film = film as String, sound = sound as String, milliseconds] in
            try Self.writeUntilKilled(film, sound, after: milliseconds)
        }

        var pictures = try Y4MReader(path: film)
        let luma = Self.size.area
        var y = [UInt8](repeating: 0, count: luma)
        var u = [UInt8](repeating: 0, count: luma / 4)
        var v = [UInt8](repeating: 0, count: luma / 4)
        #expect(pictures.frameCount >= 1)
        for index in 0..<pictures.frameCount {
            try read(&pictures, index, &y, &u, &v)
            let value = UInt8(truncatingIfNeeded: index)
            #expect(y[0] == value && y[luma - 1] == value)
            #expect(u[0] == value && v[luma / 4 - 1] == value)
        }

        // A block of audio follows each picture.
        let file = try AudioFile(sound)
        #expect(file.isConsistent)
        let blocks = Int(file.frameCount) / 480
        #expect(Int(file.frameCount) == blocks * 480)
        #expect(blocks >= pictures.frameCount - 1 && blocks <= pictures.frameCount)
        for index in 0..<blocks {
            let block = file.samples[index * 960..<(index + 1) * 960]
            #expect(block.first == Int16(index) && block.last == Int16(index))
        }
    }

    private func read(
        _ reader: inout Y4MReader, _ index: Int, _ y: inout [UInt8], _ u: inout [UInt8],
        _ v: inout [UInt8]
    ) throws {
        let width = Self.size.width
        try y.withUnsafeMutableBytes { y in
            try u.withUnsafeMutableBytes { u in
                try v.withUnsafeMutableBytes { v in
                    var yBytes = y.mutableBytes
                    var uBytes = u.mutableBytes
                    var vBytes = v.mutableBytes
                    try reader.readFrame(
                        index, y: &yBytes, yStride: width, u: &uBytes, uStride: width / 2,
                        v: &vBytes, vStride: width / 2)
                }
            }
        }
    }

    /// Writes picture n and a block of audio, both of bytes n, until it is killed; at least one
    /// picture.
    private static func writeUntilKilled(
        _ film: String, _ sound: String, after milliseconds: UInt32
    ) throws {
        var pictures = try Y4MWriter(
            path: film, format: Y4MFormat(size: size, rate: FrameRate(30)))
        var samples = try WAVWriter(path: sound, sampleRate: 48_000, channels: 2)
        var number: Int16 = 0
        while true {
            let y = [UInt8](repeating: UInt8(number), count: size.area)
            let chroma = [UInt8](repeating: UInt8(number), count: size.area / 4)
            try pictures.write(
                y: y.span.bytes, yStride: size.width, u: chroma.span.bytes,
                uStride: size.width / 2, v: chroma.span.bytes, vStride: size.width / 2)
            if number == 0 {
                Task.detached {
                    usleep(milliseconds * 1000)
                    kill(getpid(), SIGKILL)
                }
            }
            let block = [Int16](repeating: number, count: 960)
            try samples.write(block.span)
            // Bounded, so that a late signal never fills the disk.
            number = min(number + 1, 60)
            if number == 60 { pause() }
        }
    }
}
