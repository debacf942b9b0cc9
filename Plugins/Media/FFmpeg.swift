import CFFmpeg
import MediaDecisions
import PluginEncoding
import GreenroomPlugin

/// A packet of a stream. Safe to hand over: its holder has the only reference.
final class MediaPacket: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<AVPacket>

    init() throws(FFmpegError) { pointer = try allocated(av_packet_alloc()) }

    /// The time at which it is shown or decoded, in units of its stream; nil if the file does not say it.
    var time: Int64? {
        if pointer.pointee.pts != CFFMPEG_NO_TIME { return pointer.pointee.pts }
        return pointer.pointee.dts == CFFMPEG_NO_TIME ? nil : pointer.pointee.dts
    }

    /// Whether decoding can begin with it.
    var isKey: Bool { pointer.pointee.flags & AV_PKT_FLAG_KEY != 0 }

    deinit {
        var pointer: UnsafeMutablePointer<AVPacket>? = pointer
        av_packet_free(&pointer)
    }
}

/// A decoded frame or decoded samples.
final class MediaFrame {
    let pointer: UnsafeMutablePointer<AVFrame>
    /// The time at which it begins, in nanoseconds from the file's first frame.
    var start: Int64 = 0
    /// The duration, in nanoseconds.
    var duration: Int64 = 0

    init() throws(FFmpegError) { pointer = try allocated(av_frame_alloc()) }

    deinit {
        var pointer: UnsafeMutablePointer<AVFrame>? = pointer
        av_frame_free(&pointer)
    }
}

/// The parameters of a stream's decoder.
final class StreamParameters: @unchecked Sendable {
    // Safe: nothing changes after `init`.
    let pointer: UnsafeMutablePointer<AVCodecParameters>
    let timeBase: AVRational
    /// The rate of a video stream.
    let frameRate: AVRational
    let sampleAspect: AVRational
    let orientation: Orientation
    let isVideo: Bool
    /// The time from the decoding of a frame to its display, in nanoseconds.
    let reordering: Int64
    /// The delay of the frames' timestamps, in nanoseconds: AVI has only the times of decoding, from 0 on.
    let delay: Int64

    init(
        of stream: UnsafeMutablePointer<AVStream>, in context: UnsafeMutablePointer<AVFormatContext>
    ) throws(FFmpegError) {
        pointer = try allocated(avcodec_parameters_alloc())
        avcodec_parameters_copy(pointer, stream.pointee.codecpar)
        timeBase = stream.pointee.time_base
        frameRate = Self.rate(of: stream)
        sampleAspect = av_guess_sample_aspect_ratio(context, stream, nil)
        orientation = Self.orientation(of: stream)
        isVideo = pointer.pointee.codec_type == AVMEDIA_TYPE_VIDEO
        reordering =
            isVideo
            ? nanoseconds(
                Int64(min(max(pointer.pointee.video_delay, 0), 16)), av_inv_q(frameRate)) : 0
        delay =
            String(cString: context.pointee.iformat.pointee.name) == "avi" ? reordering : 0
    }

    /// The duration of a frame of video, in nanoseconds.
    var frameDuration: Int64 { nanoseconds(1, av_inv_q(frameRate)) }

    /// The duration of a packet, in nanoseconds.
    func duration(of packet: MediaPacket) -> Int64 {
        let duration = nanoseconds(packet.pointer.pointee.duration, timeBase)
        return duration <= 0 && isVideo ? frameDuration : duration
    }

    /// The time at which a packet is shown, in nanoseconds; nil if the file does not say it.
    func shown(_ packet: MediaPacket) -> Int64? {
        guard let time = packet.time else { return nil }
        let shown = nanoseconds(time, timeBase)
        return packet.pointer.pointee.pts == CFFMPEG_NO_TIME ? shown + reordering - delay : shown
    }

    /// A length of video in whole frames, if it differs by no more than containers round.
    func whole(_ length: Int64) -> Int64 {
        let frame = av_inv_q(frameRate)
        let rounded = nanoseconds(
            av_rescale_q(length, AVRational(num: 1, den: 1_000_000_000), frame), frame)
        return abs(rounded - length) <= 1_000_000 ? rounded : length
    }

    deinit {
        var pointer: UnsafeMutablePointer<AVCodecParameters>? = pointer
        avcodec_parameters_free(&pointer)
    }

    /// The rate that every frame of a video has its time at: the base rate. If that is only the resolution of the
    /// timestamps, the distances vary, and 60 frames a second come close to every one.
    private static func rate(of stream: UnsafeMutablePointer<AVStream>) -> AVRational {
        let (base, mean) = (stream.pointee.r_frame_rate, stream.pointee.avg_frame_rate)
        let isStated = base.num > 0 && base.den > 0
        if isStated, av_q2d(base) <= 60.001 { return base }
        if isStated { return AVRational(num: 60, den: 1) }
        guard mean.num > 0, mean.den > 0 else { return AVRational(num: 30, den: 1) }
        return av_q2d(mean) <= 60.001 ? mean : AVRational(num: 60, den: 1)
    }

    /// The orientation in the stream's side data: a display matrix.
    private static func orientation(of stream: UnsafeMutablePointer<AVStream>) -> Orientation {
        var size = 0
        guard let data = av_stream_get_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, &size),
            size >= 9 * MemoryLayout<Int32>.size
        else { return Orientation() }
        return data.withMemoryRebound(to: Int32.self, capacity: 9) { matrix in
            Orientation(a: matrix[0], b: matrix[1], c: matrix[3], d: matrix[4])
        }
    }
}

/// A time in units of a stream as nanoseconds: at most 36 years, so that sums of such times do not overflow.
func nanoseconds(_ time: Int64, _ base: AVRational) -> Int64 {
    let limit: Int64 = 1 << 60
    return min(max(av_rescale_q(time, base, AVRational(num: 1, den: 1_000_000_000)), -limit), limit)
}
