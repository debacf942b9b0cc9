import GreenroomMedia
import GreenroomModel
import GreenroomNegotiation
import TestSupport
import Testing

@testable import GreenroomOutputs
@testable import GreenroomSession

/// The colour matrix of a recording: declared once, and the same for every frame in it.
@Suite(.ownThreads) struct RecordedColorTests {
    /// Red in limited range.
    private static let red: [ColorMatrix: [UInt8]] = [
        .bt601: [81, 90, 240], .bt709: [63, 102, 240],
    ]

    /// Records a red camera that goes over from one matrix to the other in the middle.
    private func record(
        _ size: FrameSize, matrix: ColorMatrix?
    ) throws -> (session: InProcessSession, report: SessionReport.VideoOutput) {
        let source = FakeSource(
            FakeSource.Script(
                color: { frame in
                    let matrix: ColorMatrix = frame < 3 ? .bt601 : .bt709
                    return (Self.red[matrix, default: []], matrix)
                }))
        var session = try InProcessSession(camera: source.plan(.videoSource), milliseconds: 400)
        let capability = VideoCapability(size: size, rate: FrameRate(15))
        session.plan.configuration.maximum = capability
        session.plan.configuration.table = [capability]
        session.plan.configuration.outputs = [
            .record(folder: session.recordingFolder, video: VideoSinkWant(matrix: matrix))
        ]
        let result = try session.run()
        let output = try #require(result.picture("camera")?.outputs.first)
        return (session, output)
    }

    @Test(
        .enabled(if: Oracle.isPresent),
        arguments: [
            (1280, 720, nil, .bt709), (1280, 718, nil, .bt601), (320, 180, nil, .bt601),
            (320, 180, .bt709, .bt709), (1280, 720, .bt601, .bt601),
        ] as [(Int, Int, ColorMatrix?, ColorMatrix)])
    func `red stays red whatever the source's matrix, and the file names its matrix`(
        width: Int, height: Int, wanted: ColorMatrix?, matrix: ColorMatrix
    ) throws {
        let (session, output) = try record(
            FrameSize(width: width, height: height), matrix: wanted)
        #expect(output.matrix == matrix.name)
        #expect(output.range == "limited")
        #expect(output.size == "\(width)x\(height)")
        let film = session.recorded("camera.y4m")
        let name = matrix.name
        let header = try readFile(film).prefix { $0 != UInt8(ascii: "\n") }
        #expect(
            String(decoding: header, as: UTF8.self).hasSuffix(
                " XCOLORRANGE=LIMITED XCOLORSPACE=\(name.uppercased())"))

        // As the manual says it; ffmpeg calls BT.601 by the name of its standard.
        let ffmpegName = matrix == .bt709 ? "bt709" : "smpte170m"
        let stills = session.recorded("%d.png")
        _ = try Oracle.ffmpeg("-colorspace", ffmpegName, "-i", film, stills)
        let pixels = try Oracle.ffmpeg("-i", stills, "-f", "rawvideo", "-pix_fmt", "rgb24", "-")
        try #require(pixels.count == 6 * 3 * width * height)
        for frame in 0..<6 {
            let middle = 3 * (width * (height * frame + height / 2) + width / 2)
            let pixel = pixels[middle..<middle + 3].map(Int.init)
            #expect(
                zip(pixel, [255, 0, 0]).allSatisfy { abs($0 - $1) <= 3 }, "\(frame): \(pixel)")
        }
    }
}
