package import CFFmpeg

/// An encoded frame, or encoded samples.
package final class Packet {
    package let pointer: UnsafeMutablePointer<AVPacket>
    /// The stream of the file.
    package let stream: Int
    /// The time at which it begins, in nanoseconds from the session's start.
    package var start: Int64
    /// The duration, in nanoseconds.
    package var duration: Int64

    /// Takes over the content of a packet.
    package init(
        moving packet: UnsafeMutablePointer<AVPacket>, stream: Int, start: Int64, duration: Int64
    ) throws(FFmpegError) {
        pointer = try allocated(av_packet_alloc())
        av_packet_move_ref(pointer, packet)
        self.stream = stream
        self.start = start
        self.duration = duration
    }

    /// Makes a copy that shares the bytes.
    package init(sharing other: Packet) throws(FFmpegError) {
        pointer = try allocated(av_packet_clone(other.pointer))
        (stream, start, duration) = (other.stream, other.start, other.duration)
    }

    /// Makes a packet of text.
    package init(
        text: String, stream: Int, start: Int64, duration: Int64
    ) throws(FFmpegError) {
        pointer = try allocated(av_packet_alloc())
        self.stream = stream
        self.start = start
        self.duration = duration
        let bytes = Array(text.utf8)
        let code = av_new_packet(pointer, Int32(clamping: bytes.count))
        guard code >= 0 else { throw FFmpegError(call: "allocating", code: code) }
        pointer.pointee.data.update(from: bytes, count: bytes.count)
        pointer.pointee.flags |= AV_PKT_FLAG_KEY
    }

    package var isKey: Bool { pointer.pointee.flags & AV_PKT_FLAG_KEY != 0 }

    deinit {
        var pointer: UnsafeMutablePointer<AVPacket>? = pointer
        av_packet_free(&pointer)
    }
}
