import CFFmpeg
import Glibc
import GreenroomSystem
import PluginEncoding
import SystemPackage

/// Writes the files of HLS, and finds writes that fail: the muxer ignores them. It also corrects the playlist. The muxer's target duration follows the segments that it lists at the moment, but
/// players rely on a constant target duration, and on the number of discontinuities that have left the list.
final class PlaylistWriter {
    private typealias Context = UnsafeMutablePointer<AVFormatContext>

    private let path: String
    /// The playlist as it was written last.
    private var last: HLSPlaylist
    private let (openFile, closeFile):
        (
            @convention(c) (
                UnsafeMutablePointer<AVFormatContext>?,
                UnsafeMutablePointer<UnsafeMutablePointer<AVIOContext>?>?, UnsafePointer<CChar>?,
                Int32,
                UnsafeMutablePointer<OpaquePointer?>?
            ) -> Int32,
            @convention(c) (
                UnsafeMutablePointer<AVFormatContext>?, UnsafeMutablePointer<AVIOContext>?
            ) -> Int32
        )
    /// The playlist that the muxer writes now, and the name of its file.
    private var current: (buffer: UnsafeMutablePointer<AVIOContext>, name: String)?
    /// FFmpeg's error of the first write that failed; 0 if none.
    private(set) var failure: Int32 = 0

    /// Writes the playlists of a muxer, and lives as long as it.
    ///
    /// - Parameters:
    ///   - path: The playlist, which may be there from before a restart.
    ///   - seconds: The length of a segment.
    init?(_ path: String, seconds: Int, of context: UnsafeMutablePointer<AVFormatContext>) {
        guard let openFile = context.pointee.io_open, let closeFile = context.pointee.io_close2
        else { return nil }
        self.path = path
        (self.openFile, self.closeFile) = (openFile, closeFile)
        let old = (try? FileDescriptor.contents(of: path, limit: 1 << 20)) ?? []
        last = HLSPlaylist(String(decoding: old, as: UTF8.self), atLeast: seconds)
        context.pointee.opaque = Unmanaged.passUnretained(self).toOpaque()
        context.pointee.io_open = { context, file, name, flags, options in
            guard let context, let name, let writer = PlaylistWriter.of(context) else { return -1 }
            return writer.open(context, file, name, flags, options)
        }
        context.pointee.io_close2 = { context, file in
            guard let context, let file, let writer = PlaylistWriter.of(context) else { return 0 }
            return writer.close(context, file)
        }
    }

    private static func of(_ context: Context) -> PlaylistWriter? {
        context.pointee.opaque.map {
            Unmanaged<PlaylistWriter>.fromOpaque($0).takeUnretainedValue()
        }
    }

    private func open(
        _ context: Context, _ file: UnsafeMutablePointer<UnsafeMutablePointer<AVIOContext>?>?,
        _ name: UnsafePointer<CChar>, _ flags: Int32,
        _ options: UnsafeMutablePointer<OpaquePointer?>?
    ) -> Int32 {
        let text = String(cString: name)
        guard flags & AVIO_FLAG_WRITE != 0, text.hasPrefix(path), let file, current == nil else {
            return openFile(context, file, name, flags, options)
        }
        let code = avio_open_dyn_buf(file)
        if code >= 0, let buffer = file.pointee { current = (buffer, text) }
        return code
    }

    private func close(_ context: Context, _ file: UnsafeMutablePointer<AVIOContext>) -> Int32 {
        guard let (buffer, name) = current, buffer == file else {
            return noted(Self.error(of: file), closeFile(context, file))
        }
        current = nil
        var bytes: UnsafeMutablePointer<UInt8>?
        let count = Int(avio_close_dyn_buf(buffer, &bytes))
        defer { av_free(bytes) }
        let written = UnsafeBufferPointer(start: bytes, count: max(count, 0))
        let playlist = HLSPlaylist(
            String(decoding: written, as: UTF8.self), after: last, atLeast: last.seconds)
        var output: UnsafeMutablePointer<AVIOContext>?
        let opened = avio_open(&output, name, AVIO_FLAG_WRITE)
        guard opened >= 0, let file = output else { return noted(opened, 0) }
        let text = Array(playlist.text.utf8)
        avio_write(file, text, Int32(clamping: text.count))
        let code = noted(Self.error(of: file), avio_closep(&output))
        if code >= 0 {
            last = playlist
        } else {
            // The muxer would replace the old playlist even by an empty one.
            unlink(name)
        }
        return code
    }

    private static func error(of file: UnsafeMutablePointer<AVIOContext>) -> Int32 {
        guard file.pointee.write_flag != 0 else { return 0 }
        avio_flush(file)
        return file.pointee.error
    }

    /// The first of two results that is an error.
    private func noted(_ first: Int32, _ second: Int32) -> Int32 {
        let code = first < 0 ? first : second
        if code < 0, failure == 0 { failure = code }
        return code
    }
}
