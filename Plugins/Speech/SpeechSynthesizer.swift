import CESpeak
import GreenroomPlugin
import Synchronization

/// espeak-ng, whose state is global: instances of the plugin take turns, a sentence each.
enum SpeechSynthesizer {
    /// The voice, speed and pitch of a sentence.
    struct Style: Equatable {
        /// A voice of espeak-ng, such as `de` or `en+f3`.
        var voice: String
        /// Words a minute.
        var rate: Int
        /// The pitch, from 0 to 100.
        var pitch: Int
    }

    private struct State {
        /// The sample rate; nil before the start.
        var sampleRate: Int?
        var voice: String?
    }

    private static let state = Mutex(State())

    /// The longest audio of a sentence: a number of hundreds of digits takes minutes.
    private static let mostSeconds = 120

    /// Loads the data of espeak-ng, and a voice.
    ///
    /// - Returns: The sample rate.
    /// - Throws: ``PluginError`` with the fix.
    static func start(_ style: Style) throws -> Int {
        try state.withLock { state in
            if state.sampleRate == nil {
                let rate = espeak_Initialize(
                    AUDIO_OUTPUT_SYNCHRONOUS, 0, nil, Int32(espeakINITIALIZE_DONT_EXIT))
                guard AudioFormat.legalRates.contains(Int(rate)) else {
                    throw PluginError(
                        "the data of espeak-ng is not found: apt install espeak-ng-data",
                        status: .unavailable)
                }
                state.sampleRate = Int(rate)
                espeak_SetSynthCallback(receive)
            }
            try select(style.voice, &state)
            return state.sampleRate ?? 0
        }
    }

    /// - Throws: ``PluginError`` if there is no such voice.
    static func check(_ style: Style) throws {
        try state.withLock { try select(style.voice, &$0) }
    }

    /// The samples of a sentence; empty for a text that has no sound.
    static func speak(_ sentence: String, _ style: Style) throws -> [Int16] {
        try state.withLock { state in
            try select(style.voice, &state)
            espeak_SetParameter(espeakRATE, Int32(style.rate), 0)
            espeak_SetParameter(espeakPITCH, Int32(style.pitch), 0)
            var clip = Clip(limit: mostSeconds * (state.sampleRate ?? 0))
            let status = withUnsafeMutablePointer(to: &clip) { clip in
                espeak_Synth(
                    sentence, sentence.utf8.count + 1, 0, POS_CHARACTER, 0,
                    UInt32(espeakCHARS_UTF8 | espeakENDPAUSE), nil, clip)
            }
            guard status == EE_OK else {
                throw PluginError("espeak-ng can't speak \"\(sentence)\": error \(status.rawValue)")
            }
            return clip.samples
        }
    }

    /// Loads a voice, unless it is loaded.
    private static func select(_ voice: String, _ state: inout State) throws {
        guard voice != state.voice else { return }
        // Other names are paths, or voices of mbrola, which is a separate program.
        let isName = voice.utf8.allSatisfy {
            switch $0 {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"):
                true
            default: false
            }
        }
        guard isName, voice.utf8.count < 40, !voice.lowercased().hasPrefix("mb"),
            espeak_SetVoiceByName(voice) == EE_OK
        else {
            // The failed call may have changed the voice.
            state.voice = nil
            throw PluginError(
                "voice: espeak-ng has no voice \"\(voice)\". espeak-ng --voices lists the languages; "
                    + "+m1 to +m7 and +f1 to +f5 are variants",
                status: .badSetting)
        }
        state.voice = voice
    }

    /// The samples of a sentence while they are made.
    private struct Clip {
        var samples: [Int16] = []
        let limit: Int
    }

    /// Receives samples; espeak-ng calls it before `espeak_Synth` returns.
    private static let receive:
        @convention(c) (
            UnsafeMutablePointer<Int16>?, Int32, UnsafeMutablePointer<espeak_EVENT>?
        ) -> Int32 = { samples, count, events in
            guard let samples, count > 0,
                let clip = events?.pointee.user_data?.assumingMemoryBound(to: Clip.self)
            else { return 0 }
            let part = UnsafeBufferPointer(start: samples, count: Int(count))
            clip.pointee.samples += part
            return clip.pointee.samples.count < clip.pointee.limit ? 0 : 1
        }
}
