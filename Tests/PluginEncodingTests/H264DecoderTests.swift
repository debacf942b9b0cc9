import CFFmpeg
import PluginEncoding
import Testing

@testable import GreenroomPlugin

/// Tests of the decoder for cameras, with pictures that an encoder made.
@Suite struct H264DecoderTests {
    private static let size = FrameSize(width: 64, height: 36)

    /// The luma of a picture.
    private static func luma(_ index: Int) -> UInt8 { UInt8(40 + 20 * index) }

    /// Encodes pictures of one luma each; returns the bytes of each.
    private static func pictures(_ count: Int, range: AVColorRange) throws -> [[UInt8]] {
        let encoder = try Encoder(VideoCodec.h264.encoders) { _, context, _ in
            context.width = Int32(size.width)
            context.height = Int32(size.height)
            context.pix_fmt = AV_PIX_FMT_YUV420P
            context.time_base = AVRational(num: 1, den: 30)
            context.color_range = range
            context.colorspace = AVCOL_SPC_BT709
            context.max_b_frames = 0
            return [("tune", "zerolatency"), ("preset", "superfast")]
        }
        var frame = av_frame_alloc()
        defer { av_frame_free(&frame) }
        let picture = try #require(frame)
        picture.pointee.format = AV_PIX_FMT_YUV420P.rawValue
        picture.pointee.width = Int32(size.width)
        picture.pointee.height = Int32(size.height)
        try check(av_frame_get_buffer(picture, 0), "a picture")
        var packets: [[UInt8]] = []
        for index in 0..<count {
            try check(av_frame_make_writable(picture), "a picture")
            let rows = picture.pointee.height
            let planes = [
                (picture.pointee.data.0, picture.pointee.linesize.0 * rows, luma(index)),
                (picture.pointee.data.1, picture.pointee.linesize.1 * rows / 2, 128),
                (picture.pointee.data.2, picture.pointee.linesize.2 * rows / 2, 128),
            ]
            for (start, count, value) in planes {
                start?.update(repeating: value, count: Int(count))
            }
            picture.pointee.pts = Int64(index)
            try encoder.encode(picture) { packet in
                packets.append(
                    Array(
                        UnsafeBufferPointer(
                            start: packet.pointee.data, count: Int(packet.pointee.size))))
            }
        }
        return packets
    }

    /// Decodes; returns what each picture was.
    ///
    /// - Parameter last: Gets the last pixel of each plane.
    private static func decoded(
        _ bytes: [UInt8], with decoder: H264Decoder, at time: Int64, last: inout [UInt8]
    ) throws -> [String] {
        var found: [String] = []
        try decoder.decode(bytes.span, at: time, color: .bt601Limited) { size, planes, info in
            let ends = [
                planes.first.strideBytes * (size.height - 1) + size.width,
                planes.second.strideBytes * (size.height / 2 - 1) + size.width / 2,
                planes.third.strideBytes * (size.height / 2 - 1) + size.width / 2,
            ]
            #expect(planes.first.bytes.byteCount == ends[0])
            #expect(planes.second.bytes.byteCount == ends[1])
            #expect(planes.third.bytes.byteCount == ends[2])
            last = [
                planes.first.bytes.unsafeLoad(fromByteOffset: ends[0] - 1, as: UInt8.self),
                planes.second.bytes.unsafeLoad(fromByteOffset: ends[1] - 1, as: UInt8.self),
                planes.third.bytes.unsafeLoad(fromByteOffset: ends[2] - 1, as: UInt8.self),
            ]
            let color = info.color
            found.append("\(size) \(color.range) \(color.matrix) \(info.ptsNanoseconds ?? -1)")
        }
        return found
    }

    private static func decoded(
        _ bytes: [UInt8], with decoder: H264Decoder, at time: Int64
    ) throws -> [String] {
        var last: [UInt8] = []
        return try decoded(bytes, with: decoder, at: time, last: &last)
    }

    @Test(arguments: [(AVCOL_RANGE_MPEG, "limited"), (AVCOL_RANGE_JPEG, "full")])
    func `each H.264 picture is decoded at once, with its size, time and colour space`(
        range: AVColorRange, name: String
    ) throws {
        let decoder = try H264Decoder()
        let pictures = try Self.pictures(5, range: range)
        #expect(pictures.count == 5)
        for (index, bytes) in pictures.enumerated() {
            var last: [UInt8] = []
            let found = try Self.decoded(
                bytes, with: decoder, at: Int64(index) * 1_000, last: &last)
            let expected = [Self.luma(index), 128, 128]
            #expect(zip(last, expected).allSatisfy { abs(Int($0) - Int($1)) < 4 }, "\(last)")
            #expect(last.count == 3)
            #expect(found == ["64x36 \(name) bt709 \(index * 1_000)"])
        }
    }

    @Test func `after damaged data the H.264 decoder continues with the next key frame`() throws {
        let decoder = try H264Decoder()
        let pictures = try Self.pictures(3, range: AVCOL_RANGE_MPEG)
        // Without the key frame before it.
        #expect(throws: FFmpegError.self) {
            _ = try Self.decoded(pictures[1], with: decoder, at: 0)
        }
        var generator = SystemRandomNumberGenerator()
        for count in [1, 4, 100, 10_000] {
            let noise = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            #expect((try? Self.decoded([0, 0, 0, 1] + noise, with: decoder, at: 0)) ?? [] == [])
        }
        #expect(try Self.decoded(pictures[0], with: decoder, at: 7) == ["64x36 limited bt709 7"])
    }
}
