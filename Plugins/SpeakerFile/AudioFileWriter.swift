import CSndFile
import GreenroomPlugin
import GreenroomSystem
import SystemPackage

/// A WAV or FLAC file of 16-bit samples, written by libsndfile. One thread at a time.
final class AudioFileWriter {
    /// The samples of each channel so far.
    private(set) var frameCount: Int64 = 0

    private let path: String
    private let channels: Int
    /// Nil after the end.
    private var file: OpaquePointer?

    /// Creates or replaces a file.
    ///
    /// - Throws: ``PluginError`` with the path, the reason and the fix.
    init(path: String, format: AudioFormat) throws {
        self.path = path
        channels = format.channels
        var info = SF_INFO()
        info.samplerate = Int32(format.sampleRate)
        info.channels = Int32(format.channels)
        let type = try Self.type(of: path)
        info.format = Int32(type | SF_FORMAT_PCM_16)
        let descriptor: FileDescriptor
        do throws(FileError) {
            descriptor = try .output(path, replaces: true)
        } catch {
            let explanation =
                if let number = error.underlyingError {
                    "cannot make the file: \(number); name a file in a writable folder that is there"
                } else {
                    "\(error.rule); \(error.cure)"
                }
            throw PluginError("\(path): \(explanation)", status: .unavailable)
        }
        // It closes the descriptor also when it fails.
        file = sf_open_fd(descriptor.rawValue, Int32(SFM_WRITE), &info, Int32(SF_TRUE))
        guard let file else { throw failure(nil) }
        if type == SF_FORMAT_RF64 {
            // A plain WAV file up to 4 GB.
            sf_command(file, Int32(SFC_RF64_AUTO_DOWNGRADE), nil, Int32(SF_TRUE))
        }
        // The header says the length after each block: what is there is playable after a kill.
        sf_command(file, Int32(SFC_SET_UPDATE_HEADER_AUTO), nil, Int32(SF_TRUE))
    }

    deinit {
        if let file { sf_close(file) }
    }

    /// Appends samples, channels interleaved.
    func write(_ samples: Span<Int16>) throws {
        guard let file else { return }
        let frames = samples.withUnsafeBufferPointer { samples in
            sf_writef_short(file, samples.baseAddress, Int64(samples.count / channels))
        }
        guard frames == samples.count / channels else { throw failure(file) }
        frameCount += frames
    }

    /// Finishes the file.
    func close() throws {
        guard let file else { return }
        self.file = nil
        guard sf_close(file) == 0 else { throw failure(nil) }
    }

    private func failure(_ file: OpaquePointer?) -> PluginError {
        let reason = String(cString: sf_strerror(file))
        return PluginError("\(path): writing failed: \(reason) Check the disk and the path")
    }

    /// Requires a name with an ending of a format.
    static func check(path: String) throws { _ = try type(of: path) }

    private static func type(of path: String) throws -> Int {
        let name = path.lowercased()
        if name.hasSuffix(".wav") { return SF_FORMAT_RF64 }
        if name.hasSuffix(".flac") { return SF_FORMAT_FLAC }
        throw PluginError(
            "\(path): the name has no known extension; end it with .wav or .flac",
            status: .badSetting)
    }
}
