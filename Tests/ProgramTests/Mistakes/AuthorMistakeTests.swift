import SessionTestSupport
import TestSupport
import Testing

/// Mistakes of plugin authors: what the host says of a library, and what a call that it refuses
/// answers.
@Suite(.ownThreads) struct AuthorMistakeTests {
    /// A library, by its fault in `malformed.c`, and what comes after its path.
    static let libraries = [
        (
            "WRONG_MAJOR",
            "built for major 2 of the plugin interface, but this host has major 1. Rebuild it "
                + "with this host's greenroom/plugin.h."
        ),
        ("NULL_ENTRY", "greenroom_plugin_entry() returned NULL. Return the entry."),
        ("NULL_CREATE", "the entry's create is NULL. Every such function is required."),
        ("NO_PLUGINS", "plugin_count is 0, but must be 1 to 256."),
        (
            "SHORT_DESCRIPTOR",
            "descriptor 0: struct_size is 32, but major 1 has at least 72 bytes. Set it to "
                + "sizeof(gr_descriptor)."
        ),
        (
            "UNKNOWN_KIND",
            "Malformed is of kind 77, which this host does not know. Kinds are 1 to 9."
        ),
        (
            "ID_CHARACTERS",
            "descriptor 0: id is \"org.example/../malformed\", but may only have a-z, 0-9, '-' and '.'."
        ),
        (
            "DUPLICATE_ID",
            "two plugins have the id org.example.malformed, or are of one kind and have the name "
                + "Malformed. Give each its own."
        ),
        (
            "DEFAULT_OUT_OF_BOUNDS",
            "Malformed: parameter 0 (level): default: 11 is out of bounds. Use 0 to 10."
        ),
        (
            "DEFAULT_NO_CHOICE",
            "Malformed: parameter 0 (mood): default: needs one of calm, wild, found \"angry\"."
        ),
    ]

    @Test(arguments: libraries)
    func `a library that breaks a rule has one line with place, rule and fix`(
        fault: String, line: String
    ) throws {
        let library = try TestPlugins.malformed(fault)
        let run = try Greenroom.run("plugin", "info", library)
        #expect(run.exit == .code(65), "\(run)")
        #expect(run.standardError == "greenroom: \(library): \(line)\n")
    }

    @Test func `a library without the entry has one line with place, rule and fix`() throws {
        let library = try TestPlugins.notAPlugin()
        let run = try Greenroom.run("plugin", "info", library)
        #expect(
            run.standardError
                == "greenroom: \(library): a shared library, but not a plugin: it does not export "
                + "greenroom_plugin_entry. Export it, with GR_EXPORT in C or @c in Swift.\n")
    }

    /// A hostile plugin, its place in a session, and for each call that it makes the status and text.
    struct Calls: CustomTestStringConvertible, Sendable {
        var role: String
        var plugin: String
        var answers: [(call: String, text: String)]
        var testDescription: String { plugin }
    }

    private static let notStarted =
        "the state is initialized, and nothing is accepted before start-send. Begin sending when "
        + "start_send is called."

    static let calls = [
        Calls(
            role: "camera", plugin: "BadFrames",
            answers: [
                (
                    "short-luma",
                    "BAD_LENGTH: video.send: planes[0].size_bytes is 3071, but its rows and stride need "
                        + "3072. Pass all rows; chroma rounds up at odd sizes: (width + 1) / 2 by (height "
                        + "+ 1) / 2."
                ),
                (
                    "short-stride",
                    "BAD_STRIDE: video.send: planes[0].stride_bytes is 63, but a row has 64 bytes. Set it "
                        + "to the bytes from one row to the next, 64 to 2147483647."
                ),
                (
                    "no-width",
                    "BAD_SIZE: video.send: the size is 0x48; width and height must be 1 to 8192. Scale the "
                        + "frame down or send a real size."
                ),
                (
                    "null-luma",
                    "BAD_PLANES: video.send: planes[0].data is NULL. Point it at the plane's first row."
                ),
                (
                    "two-planes",
                    "BAD_PLANES: video.send: plane_count is 2, but the format has 3 planes. Set plane_count to "
                        + "3."
                ),
            ]),
        Calls(
            role: "camera", plugin: "BadLeases",
            answers: [
                (
                    "commit-twice",
                    "BAD_LEASE: video.commit: lease 1 is unknown, or was committed or abandoned before. "
                        + "Give each lease back once."
                ),
                (
                    "commit-rotation-45",
                    "BAD_ROTATION: video.commit: the rotation is 45. Use 0, 90, 180 or 270 degrees "
                        + "clockwise."
                ),
                (
                    "acquire-mjpeg",
                    "BAD_FORMAT: video.acquire: MJPEG frames are not leased, because their "
                        + "length is unknown. Pass them to send."
                ),
                (
                    "acquire-short",
                    "BAD_ARGUMENT: video.acquire: struct_size is 8, but major 1 has at least 144 bytes. "
                        + "Set struct_size to sizeof the struct."
                ),
            ]),
        Calls(
            role: "camera", plugin: "SendBeforeStart",
            answers: [("send-in-initialize", "NOT_STARTED: video.send: \(notStarted)")]),
        Calls(
            role: "microphone", plugin: "BadBlocks",
            answers: [
                (
                    "slow-rate",
                    "BAD_RATE: audio.send: the sample rate is 7999 Hz, but only 8000 to 192000 Hz are accepted. "
                        + "Resample to a rate between them."
                ),
                (
                    "three-channels",
                    "BAD_CHANNELS: audio.send: the block has 3 channels, but only 1 or 2 are accepted. Mix "
                        + "down to stereo."
                ),
                (
                    "one-too-many",
                    "BAD_BLOCK: audio.send: the block has 4801 frames, but at this rate 100 ms are 4800 frames. "
                        + "Send at most 100 ms per call."
                ),
                (
                    "negative-pts",
                    "BAD_TIMESTAMP: audio.send: pts_ns is -5, but the session clock is never negative. "
                        + "Use now_ns, or pass GR_PTS_UNSTAMPED."
                ),
                (
                    "odd-address",
                    "BAD_ARGUMENT: audio.send: samples are not on an even address. Keep them in an array "
                        + "of int16_t."
                ),
            ]),
        Calls(
            role: "microphone", plugin: "ImpatientMic",
            answers: [
                (
                    "ten-seconds-at-once",
                    "QUEUE_FULL: audio.send: the queue of 200 ms has no room for the block. Send in real "
                        + "time, or pass a timeout to be paced by the host."
                )
            ]),
    ]

    @Test(arguments: calls)
    func `a refused call answers with one line of place, rule and fix`(calls: Calls) throws {
        let session = try FileSession(
            "\(calls.role): \(try FileSession.hostile(calls.plugin))", maximum: "64x36@15",
            duration: "400ms", clock: "virtual")
        let run = try session.run()
        for (call, text) in calls.answers {
            #expect(run.answers(to: call).first?.text == text, "\(run)")
        }
    }
}
