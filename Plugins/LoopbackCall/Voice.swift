import GreenroomPlugin
import GreenroomSystem
import SystemPackage

/// Samples that a participant says: mono, at 48 kHz.
struct Voice {
    var samples: [Int16]

    /// The largest file, in bytes: three minutes.
    private static let longest = 18_000_000

    /// Reads the voices that a script names.
    ///
    /// - Throws: `PluginError` that names the file and the fault.
    static func voices(of script: CallScript, in folder: String) throws -> [String: Voice] {
        let names = Set(script.participants.flatMap { $0.sayings.map(\.voice) })
        guard names.isEmpty || !folder.isEmpty else {
            throw PluginError(
                "script: say= needs files. Set voices to the folder with \(names.sorted()[0]).wav.",
                status: .badSetting)
        }
        var voices: [String: Voice] = [:]
        for name in names { voices[name] = try Voice(of: "\(folder)/\(name).wav") }
        return voices
    }

    private init(of path: String) throws {
        let bytes: [UInt8]
        do throws(Errno) {
            bytes = try FileDescriptor.contents(of: path, limit: Self.longest)
        } catch {
            throw PluginError("voices: cannot read \(path): \(error)", status: .badSetting)
        }
        guard let samples = Self.samples(in: bytes) else {
            throw PluginError(
                "voices: \(path) is not a WAV file with 16-bit mono samples at 48000 Hz. "
                    + "Convert it: ffmpeg -i FILE -ac 1 -ar 48000 -c:a pcm_s16le OUT.wav",
                status: .badSetting)
        }
        self.samples = samples
    }

    /// The samples of a WAV file; nil for another format, or a damaged file.
    private static func samples(in file: [UInt8]) -> [Int16]? {
        guard file.count >= 12, file.starts(with: "RIFF".utf8),
            file[8..<12].elementsEqual("WAVE".utf8)
        else { return nil }
        func number(_ count: Int, at place: Int) -> Int {
            file[place..<place + count].reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        var place = 12
        var isFitting = false
        while place + 8 <= file.count {
            let (start, length) = (place + 8, number(4, at: place + 4))
            let end = min(start + length, file.count)
            switch file[place..<place + 4] {
            case ArraySlice("fmt ".utf8) where end - start >= 16:
                let (tag, channels) = (number(2, at: start), number(2, at: start + 2))
                let (rate, bits) = (number(4, at: start + 4), number(2, at: start + 14))
                isFitting = tag == 1 && channels == 1 && rate == 48_000 && bits == 16
            case ArraySlice("data".utf8):
                guard isFitting else { return nil }
                return stride(from: start, to: end - 1, by: 2).map {
                    Int16(truncatingIfNeeded: number(2, at: $0))
                }
            default: break
            }
            place = start + length + length % 2
        }
        return nil
    }
}
