import GreenroomHarness
import GreenroomMedia
import GreenroomModel
import GreenroomRuntime

extension Catalogue {
    static let audioFilterChecks: [Check] = [
        audioFilterEdits, audioFilterDelay, audioFilterRestart, audioFilterSilence, audioFilterCost,
    ]

    /// Every kind of block is edited.
    static let audioFilterEdits = Check(
        "audio-filter.edits", "edits any audio", of: .audioFilters,
        rule: "A filter edits any audio.",
        why: "After any status but GR_STATUS_OK, the host plays the block unedited.",
        measured: """
            50 blocks each of silence, noise, a sine, full scale that changes its sign, \
            and single full samples.
            """,
        fix: "Accept every value of a sample, and return GR_STATUS_OK."
    ) { examination throws(Verdict) in
        let fixture = try examination.fixture()
        try fixture.start()
        var count = 0
        for content in AudioContent.allCases {
            var audio = EditedBlocks(content, examination.random(21))
            for _ in 0..<50 {
                var block = audio.next()
                let status = try fixture.edit(&block)
                guard status == .ok else {
                    throw .failed("process answers \(status) to \(content.text)")
                }
                count += 1
            }
        }
        try fixture.end()
        return .passed("\(count) blocks")
    }

    /// The declared delay is the true one.
    static let audioFilterDelay = Check(
        "audio-filter.delay", "the declared delay is exact", of: .audioFilters,
        rule: "The filter delays audio by the time that it declares.",
        why: "The host delays the other tracks by as much to keep them in sync.",
        measured: """
            Noise with a random start and end is found in the output, to 2 ms. Skipped if \
            the filter changes the audio too much.
            """,
        fix: "Declare the algorithm's delay in samples, including its buffers."
    ) { examination throws(Verdict) in
        let fixture = try examination.fixture()
        try fixture.start()
        guard let declared = fixture.pluginHarness.audioEditing?.delayFrames else {
            throw .hindered(by: "load.extensions", "has declared nothing")
        }
        var audio = EditedBlocks(.bursts, examination.random(22))
        let blocks = 150
        var (sent, heard): ([Int16], [Int16]) = ([], [])
        for _ in 0..<blocks {
            var block = audio.next()
            sent += block.left
            _ = try fixture.edit(&block)
            heard += block.left
        }
        try fixture.end()
        guard let found = delay(of: heard, after: sent) else {
            throw .skipped("the output is not like the input, with these settings")
        }
        guard abs(found - declared) <= 96 else {
            throw .failed(
                "audio leaves \(found) samples after it came, and \(declared) are declared: set "
                    + "delay_frames to \(max(found, 0))")
        }
        return .passed("\(found) samples; \(declared) are declared")
    }

    /// The delay of audio in an output, in samples; nil if the audio is not found.
    private static func delay(of heard: [Int16], after sent: [Int16]) -> Int? {
        var (best, likeness) = (0, 0.0)
        let longest = AudioEditing.longestDelayFrames + 480
        let length = sent.count - longest
        let power = sent[..<length].reduce(0.0) { $0 + Double($1) * Double($1) }
        for delay in 0...longest {
            var (sum, energy) = (0.0, 0.0)
            // One sample of 41 is enough, because samples of noise differ.
            for index in stride(from: 0, to: length, by: 41) {
                let sample = Double(heard[index + delay])
                sum += Double(sent[index]) * sample
                energy += sample * sample
            }
            let now = energy > 0 ? sum / (power / 41 * energy).squareRoot() : 0
            if abs(now) > likeness { (best, likeness) = (delay, abs(now)) }
        }
        return likeness > 0.3 ? best : nil
    }

    /// A new start forgets earlier audio.
    static let audioFilterRestart = Check(
        "audio-filter.restart", "a new start forgets earlier audio", of: .audioFilters,
        rule: "A filter that starts again has forgotten earlier audio.",
        why: "The next participant must not hear the previous one.",
        measured: """
            Noise, a stop and a start, then silence: the first ten blocks must not contain \
            the noise. Skipped for a filter that is not silent without input.
            """,
        fix: "Clear buffers and delay lines in start-send."
    ) { examination throws(Verdict) in
        let fixture = try examination.fixture()
        try fixture.start()
        var silence = EditedBlocks(.silence, examination.random(23))
        var noise = EditedBlocks(.noise, examination.random(23))
        func loudest(_ audio: inout EditedBlocks, blocks: Int) throws(Verdict) -> Int {
            var loudest = 0
            for _ in 0..<blocks {
                var block = audio.next()
                _ = try fixture.edit(&block)
                loudest = max(loudest, block.peak)
            }
            return loudest
        }
        guard try loudest(&silence, blocks: 10) < 33 else {
            throw .skipped("not silent without input")
        }
        _ = try loudest(&noise, blocks: 50)
        try fixture.stopSend()
        try fixture.startSend()
        let rest = try loudest(&silence, blocks: 10)
        try fixture.end()
        guard rest < 33 else {
            throw .failed(
                "after a new start it plays audio of before, with a peak of \(rest): forget it in "
                    + "start-send")
        }
        return .passed()
    }

    /// Silence stays silent.
    static let audioFilterSilence = Check(
        "audio-filter.silence", "silence becomes silent", of: .audioFilters,
        rule: "Silence at the input becomes silence at the output.",
        why: """
            Numbers that never become zero cost much time, and an offset is heard as \
            clicks. The effect may be intended, so this check only warns.
            """,
        measured: "A second of noise, then ten seconds of silence; the last second must be silent.",
        fix: "Set very small values to zero in feedback paths."
    ) { examination throws(Verdict) in
        let fixture = try examination.fixture()
        try fixture.start()
        var noise = EditedBlocks(.noise, examination.random(24))
        var silence = EditedBlocks(.silence, examination.random(24))
        for _ in 0..<100 {
            var block = noise.next()
            _ = try fixture.edit(&block)
        }
        var loudest = 0
        for number in 0..<1000 {
            var block = silence.next()
            _ = try fixture.edit(&block)
            if number >= 900 { loudest = max(loudest, block.peak) }
        }
        try fixture.end()
        guard loudest < 33 else {
            return .warning("nine seconds after the last input the output has a peak of \(loudest)")
        }
        return .passed()
    }

    /// The time for a block.
    static let audioFilterCost = Check(
        "audio-filter.cost", "a block takes less than 10 ms", of: .audioFilters,
        rule: "A block of 10 ms takes less than 10 ms.",
        why: """
            Late blocks are played unedited. Filters and tracks share the time, so more \
            than 2 ms is a warning.
            """,
        measured: """
            300 blocks of noise, including the way to the plugin's process; more than half \
            must be in time.
            """,
        fix: "Do slow work on another thread, and allocate nothing per block."
    ) { examination throws(Verdict) in
        let fixture = try examination.fixture(on: .real)
        try fixture.start()
        var noise = EditedBlocks(.noise, examination.random(25))
        var times: [Int64] = []
        for _ in 0..<300 {
            var block = noise.next()
            guard let edit = fixture.pluginHarness.edit(&block.samples) else {
                throw .failed("process has not returned after 2 s: it must always return")
            }
            times.append(edit.nanoseconds)
        }
        try fixture.end()
        let median = Double(times.sorted()[times.count / 2]) / 1e6
        let text = "\(decimal(median, 2)) ms for a block of 10 ms"
        guard median < 10 else { throw .failed("\(text): the host plays blocks unedited") }
        return median > 2 ? .warning(text) : .passed(text)
    }
}

extension Fixture {
    /// Calls an audio filter to edit a block.
    fileprivate func edit(_ block: inout StereoBlock) throws(Verdict) -> Status {
        guard let edit = pluginHarness.edit(&block.samples) else {
            throw Verdict.failed("process has not returned after 2 s: it must always return")
                .unless("audio-filter.cost")
        }
        guard pluginHarness.fault == nil else { throw crash() }
        return edit.status
    }
}

/// The content of blocks for audio filters.
enum AudioContent: CaseIterable, Sendable {
    case silence
    case noise
    case sine
    /// Full scale with a change of sign every 50 samples.
    case square
    /// Full scale once per block.
    case clicks
    /// Noise for some blocks, then silence for some.
    case bursts

    var text: String {
        switch self {
        case .silence: "silence"
        case .noise: "noise"
        case .sine: "a sine"
        case .square: "full scale that changes its sign"
        case .clicks: "single full samples"
        case .bursts: "bursts of noise"
        }
    }
}

/// 10 ms of stereo audio.
struct StereoBlock: Sendable {
    var samples = [Int16](repeating: 0, count: AudioEditing.blockFrames * 2)

    /// The left channel.
    var left: [Int16] { stride(from: 0, to: samples.count, by: 2).map { samples[$0] } }
    /// The largest magnitude.
    var peak: Int { samples.reduce(0) { max($0, abs(Int($1))) } }
}

/// Blocks one after another.
struct EditedBlocks: Sendable {
    private let content: AudioContent
    private var random: SeededRandom
    private var place = 0
    private var isLoud = false

    init(_ content: AudioContent, _ random: SeededRandom) {
        self.content = content
        self.random = random
    }

    /// The next block, with the same in both channels.
    mutating func next() -> StereoBlock {
        var block = StereoBlock()
        if content == .bursts, place % 2400 == 0 { isLoud = Bool.random(using: &random) }
        for frame in 0..<AudioEditing.blockFrames {
            let sample = sample(at: place)
            block.samples[frame * 2] = sample
            block.samples[frame * 2 + 1] = sample
            place += 1
        }
        return block
    }

    private mutating func sample(at place: Int) -> Int16 {
        switch content {
        case .silence: 0
        case .noise: Int16.random(in: -8000...8000, using: &random)
        case .sine: Self.sine[place % Self.sine.count]
        case .square: place / 50 % 2 == 0 ? 32_767 : -32_768
        case .clicks: place % AudioEditing.blockFrames == 240 ? 32_767 : 0
        case .bursts: isLoud ? Int16.random(in: -8000...8000, using: &random) : 0
        }
    }

    /// A period of 1 kHz, by a polynomial: exact enough for a test.
    private static let sine: [Int16] = (0..<48).map { index in
        let turn = Double(index) / 48
        let part = turn < 0.5 ? turn : turn - 0.5
        let height = 16 * part * (0.5 - part)
        return Int16((turn < 0.5 ? height : -height) * 8000)
    }
}
