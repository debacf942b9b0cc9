import CFFmpeg
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
    let rotation: Rotation

    init(
        of stream: UnsafeMutablePointer<AVStream>, in context: UnsafeMutablePointer<AVFormatContext>
    ) throws(FFmpegError) {
        pointer = try allocated(avcodec_parameters_alloc())
        avcodec_parameters_copy(pointer, stream.pointee.codecpar)
        timeBase = stream.pointee.time_base
        frameRate = Self.rate(of: stream)
        sampleAspect = av_guess_sample_aspect_ratio(context, stream, nil)
        rotation = Self.rotation(of: stream)
    }

    deinit {
        var pointer: UnsafeMutablePointer<AVCodecParameters>? = pointer
        avcodec_parameters_free(&pointer)
    }

    /// The rate that every frame of a video has its time at: the base rate, unless that is only the resolution of
    /// the timestamps.
    private static func rate(of stream: UnsafeMutablePointer<AVStream>) -> AVRational {
        let (base, mean) = (stream.pointee.r_frame_rate, stream.pointee.avg_frame_rate)
        for rate in [base, mean] where rate.num > 0 && rate.den > 0 && av_q2d(rate) <= 60.001 {
            return rate
        }
        return base.num > 0 || mean.num > 0
            ? AVRational(num: 60, den: 1) : AVRational(num: 30, den: 1)
    }

    /// The rotation in the stream's side data: the display matrix turns counter-clockwise.
    private static func rotation(of stream: UnsafeMutablePointer<AVStream>) -> Rotation {
        var size = 0
        guard let data = av_stream_get_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, &size),
            size >= 9 * MemoryLayout<Int32>.size
        else { return .none }
        let angle = data.withMemoryRebound(to: Int32.self, capacity: 9) {
            av_display_rotation_get($0)
        }
        guard angle.isFinite else { return .none }
        let quarters = Int((-angle / 90).rounded()) & 3
        return Rotation(rawValue: UInt32(quarters * 90)) ?? .none
    }
}

/// A time in units of a stream as nanoseconds.
func nanoseconds(_ time: Int64, _ base: AVRational) -> Int64 {
    av_rescale_q(time, base, AVRational(num: 1, den: 1_000_000_000))
}
