import Foundation
import SessionTestSupport
import TestSupport
import Testing

/// Tests senders modelled on public code: the host's log line about each, and the validator's
/// findings.
@Suite(.ownThreads) struct ThirdPartyPluginTests {
    /// A sender, `Tests/ThirdPartyPlugins/<name>.c`.
    struct ThirdPartyPlugin: CustomTestStringConvertible, Sendable {
        var name: String
        /// Its place in a session file.
        var role: String
        /// The timeline of the session.
        var timeline = ""
        /// Whether it waits on the session clock, so that the session takes no time.
        var isPaced = true
        /// The session's duration.
        var seconds = 4
        /// The host's log line; nil if it has no fault.
        var hostSays: String?
        /// The session's exit code.
        var exit: Int32 = 0
        /// The checks that find its fault, and the first one's message.
        var faults: [String] = []
        var validatorSays = ""
        /// Checks that a correct sender passes.
        var passes: [String] = []

        var testDescription: String { name }
    }

    static let thirdPartyPlugins = [
        ThirdPartyPlugin(
            name: "pumps-in-start", role: "camera", isPaced: false,
            hostSays: "sends from inside start-send, which must return immediately",
            faults: ["lifecycle.start-returns"], validatorSays: "start a thread for that"),
        ThirdPartyPlugin(
            name: "stale-flag", role: "microphone",
            timeline: "[{at: 500ms, do: mute}, {at: 2s, do: unmute}, {at: 3500ms, do: mute}]",
            isPaced: false, seconds: 8, hostSays: "stop-send has not returned after ",
            faults: ["lifecycle.restart"], validatorSays: "stop-send number 2 has not returned"),
        ThirdPartyPlugin(
            name: "whole-wav", role: "microphone",
            hostSays: "audio.send was refused with BAD_BLOCK: the block has 144022 frames",
            exit: 66,
            faults: ["lifecycle.whole-life"], validatorSays: "BAD_BLOCK"),
        ThirdPartyPlugin(
            name: "ten-seconds-at-once", role: "microphone", isPaced: false, seconds: 2,
            hostSays: "blocks refused: QUEUE_FULL",
            faults: ["audio.back-pressure"], validatorSays: "QUEUE_FULL"),
        ThirdPartyPlugin(
            name: "wishes-by-writing", role: "camera",
            hostSays: "agreed on 1280x720, but sends 800x600; the host scales it",
            faults: ["negotiation.revision-geometry", "video.rate"],
            validatorSays: "a frame of 800x600 says that it was made for offer 1"),
        ThirdPartyPlugin(
            name: "ignores-changes", role: "camera",
            timeline: "[{at: 500ms, ceiling: 640x360@30}]",
            hostSays: "agreed on offer 2, but sends frames for offer 1",
            faults: ["negotiation.change"],
            validatorSays: "still comes more than a second after it has agreed to"),
        ThirdPartyPlugin(
            name: "slide-show", role: "camera",
            hostSays: "agreed on 30 frames/s, but sends ",
            faults: ["video.rate", "video.content"],
            validatorSays: "sends 2.0 frames a second, but agreed to 30"),
        ThirdPartyPlugin(
            name: "overfeeds", role: "microphone",
            hostSays: "more audio than real time",
            faults: ["audio.back-pressure"],
            validatorSays: "11.2 % more audio than real time"),
        ThirdPartyPlugin(
            name: "short-last-block", role: "microphone",
            passes: ["audio.blocks", "audio.sample-count", "lifecycle.whole-life"]),
        ThirdPartyPlugin(
            name: "null-sender", role: "camera",
            hostSays: "uses an ended or unknown sender",
            faults: ["lifecycle.dead-sender"],
            validatorSays: "3 times from uninitialize on, answered GONE"),
        ThirdPartyPlugin(
            name: "captured-format", role: "camera",
            hostSays: "agreed on 1280x720, but sends 640x480; the host scales it",
            faults: ["negotiation.revision-geometry"],
            validatorSays: "a frame of 640x480 says that it was made for offer 1"),
        ThirdPartyPlugin(
            name: "slow-share", role: "share", passes: ["share.idle", "lifecycle.whole-life"]),
        ThirdPartyPlugin(
            name: "bare-loop", role: "microphone",
            passes: ["audio.back-pressure", "audio.sample-count", "lifecycle.whole-life"]),
        ThirdPartyPlugin(
            name: "restarts-pump", role: "camera",
            timeline: "[{at: 500ms, ceiling: 640x360@30}]", isPaced: false, seconds: 2,
            hostSays: "640x360@30, ceiling-lowered",
            passes: ["negotiation.change", "lifecycle.whole-life"]),
        ThirdPartyPlugin(
            name: "only-32000", role: "microphone",
            passes: ["audio.format", "audio.sample-count", "lifecycle.whole-life"]),
    ]

    /// Every file is in the table, and every row has a file.
    @Test func `each third-party plugin is tested`() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder)
        #expect(files.sorted() == Self.thirdPartyPlugins.map { "\($0.name).c" }.sorted())
    }

    static let folder = Checkout.root + "/Tests/ThirdPartyPlugins"
}
