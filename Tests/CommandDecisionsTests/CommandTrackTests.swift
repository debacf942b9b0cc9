import GreenroomMedia
import Testing

@testable import CommandDecisions
@testable import GreenroomPlugin

@Suite struct CommandTrackTests {
    @Test(
        arguments: [
            ("camera", .own(.camera)), ("full-mix", .own(.fullMix)), ("stage", .own(.stage)),
            ("participant Ana microphone", .participant("Ana", .microphone)),
            ("participant Ana de la Cruz share-audio", .participant("Ana de la Cruz", .shareAudio)),
            ("participants", .participants([.microphone])),
            ("participants microphone camera", .participants([.microphone, .camera])),
            ("", nil), ("cam", nil), ("participant", nil), ("participant Ana", nil),
            ("participant microphone", nil), ("participant Ana mix", nil),
            ("participants mix", nil),
        ] as [(String, CommandTrack?)])
    func `a command reads a named track, a participant's track or all participants`(
        text: String, track: CommandTrack?
    ) {
        #expect(CommandTrack(text) == track)
    }

    @Test func `a command reads only the tracks that it names`() throws {
        let ana = Track.Participant(number: 1, name: "Ana")
        let all: [(String, Track)] = [
            ("own", Self.track(1, .microphone)), ("Ana", Self.track(2, .microphone, of: ana)),
            ("Ana's camera", Self.track(3, .camera, of: ana)),
            ("Ben", Self.track(4, .microphone, of: .init(number: 2, name: "Ben"))),
        ]
        for (text, names) in [
            ("microphone", ["own"]), ("participant Ana microphone", ["Ana"]),
            ("participants", ["Ana", "Ben"]), ("participants camera", ["Ana's camera"]),
        ] {
            let command = try #require(CommandTrack(text))
            #expect(all.filter { command.has($0.1) }.map(\.0) == names, "\(text)")
        }
    }

    private static func track(
        _ id: UInt32, _ kind: Track.Kind, of participant: Track.Participant? = nil
    ) -> Track {
        Track(
            id: id, kind: kind, participant: participant, name: "",
            capability: kind.isVideo ? VideoCapability(width: 64, height: 36, fps: 15) : nil)
    }

    @Test func `a participant stream has a version, and its records have names and times`() {
        let stream = ParticipantStream(from: 1_000_000_000)
        let ana = Track.Participant(number: 1, name: "A\"na\n")
        let (voice, camera) = (
            Self.track(2, .microphone, of: ana), Self.track(3, .camera, of: ana)
        )
        let lines = [
            stream.header,
            stream.opened(voice, AudioFormat(sampleRate: 16_000, channels: 1)),
            stream.opened(camera, nil),
            stream.media(of: voice, at: 1_020_000_000, bytes: 640),
            stream.media(of: camera, at: 3_500_000_000, bytes: 3456), stream.ended(voice),
        ].map { String(decoding: $0, as: UTF8.self) }
        #expect(
            lines == [
                "{\"record\": \"greenroom-participants\", \"version\": 1}\n",
                "{\"record\": \"track\", \"track\": 2, \"participant\": \"A\\\"na\\n\", "
                    + "\"kind\": \"microphone\", \"rate\": 16000, \"channels\": 1}\n",
                "{\"record\": \"track\", \"track\": 3, \"participant\": \"A\\\"na\\n\", "
                    + "\"kind\": \"camera\", \"width\": 64, \"height\": 36}\n",
                "{\"record\": \"audio\", \"track\": 2, \"time\": 0.02, \"bytes\": 640}\n",
                "{\"record\": \"video\", \"track\": 3, \"time\": 2.5, \"bytes\": 3456}\n",
                "{\"record\": \"end\", \"track\": 2}\n",
            ])
    }

    @Test(
        arguments: [
            ("1.5\t2\tAna\tHello there", 1.5, 2, "Ana", "Hello there"),
            ("0\t0.2\t\tone\ttwo", 0, 0.2, nil, "one\ttwo"),
        ] as [(String, Double, Double, String?, String)])
    func `a caption line is read as times, a speaker and a text`(
        line: String, start: Double, end: Double, speaker: String?, text: String
    ) throws {
        let caption = try #require(CaptionLine(line))
        #expect(caption.start == start && caption.end == end)
        #expect(caption.speaker == speaker && caption.text == text)
    }

    @Test(
        arguments: [
            "", "Hello", "1\t2\tAna", "1\t2\tAna\t", "2\t1\tAna\tx", "-1\t1\tAna\tx",
            "1\t62\tAna\tx",
            "a\tb\tAna\tx", "nan\t1\tAna\tx", "inf\tinf\tAna\tx", "1 2 Ana x",
        ])
    func `a line without two valid times and a text is not a caption`(line: String) {
        #expect(CaptionLine(line) == nil)
    }
}
