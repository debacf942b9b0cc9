import GreenroomModel
import GreenroomABI
import GreenroomHarness
import GreenroomIsolation
import GreenroomMedia
import GreenroomPluginInterface
import GreenroomLifecycle

extension Catalogue {
    static let outputTakes = Check(
        "output.takes", "accepts every frame and block", of: .outputs,
        rule: "An output accepts every frame and block that it requested.",
        why: "The session counts other answers as failed.",
        measured: """
            Two seconds of media with tracks of 640x360 and of an odd size: new and \
            repeated frames, black, slates, a frame for two periods, and a short last \
            block.
            """,
        fix: "Return GR_STATUS_OK, and handle odd sizes and short blocks."
    ) { examination throws(Verdict) in
        var taken = 0
        for capability in [nil, VideoCapability(width: 853, height: 479, fps: 15)] {
            let fixture = try examination.fixture()
            try fixture.startOutput(capability)
            try fixture.wait(seconds: 2)
            try fixture.stopSend()
            let takes = fixture.record.takes
            guard !takes.isEmpty else { throw fixture.getsNothing }
            if let gaveUp = fixture.pluginHarness.gaveUp {
                return .failed("has called give_up with \(gaveUp.status): \(gaveUp.reason)")
            }
            let refused = takes.filter { $0.status != .ok }
            if let first = refused.first, let status = first.status {
                return .failed(
                    "\(first.callback) answers \(status) for \(first.inWords) of the track "
                        + "\(fixture.name(of: first.track)), and \(refused.count) of \(takes.count) "
                        + "frames and blocks are not accepted: answer GR_STATUS_OK even for those "
                        + "that the plugin skips on purpose")
            }
            taken += takes.count
            try fixture.uninitialize()
            try fixture.destroy()
        }
        return .passed("\(taken) frames and blocks")
    }

    static let outputReadOnly = Check(
        "output.read-only", "frames are not written to", of: .outputs,
        rule: "An output does not write to frames.",
        why: """
            Frames are shared with other outputs, which would show what is written; in a \
            separate process, writing crashes.
            """,
        measured: """
            Two seconds of media in a host's process, where frames are writable; every \
            frame is compared before and after.
            """,
        fix: "Copy the frame before you draw on it."
    ) { examination throws(Verdict) in
        let answer = try InProcessRun.make(examination.request, nanoseconds: 2_000_000_000)
        if let written = answer.writtenFrame {
            return .failed(
                "writes to \(written): frames are read-only, so draw on a copy. In a separate "
                    + "process, the plugin crashes there")
        }
        if let problem = answer.problem {
            throw .hindered(by: "robustness.identical", problem)
        }
        return .passed()
    }
}

extension Fixture {
    /// Creates, initializes and starts an output.
    ///
    /// - Parameter capability: The size and rate of the video tracks; nil if the default.
    func startOutput(_ capability: VideoCapability? = nil) throws(Verdict) {
        try create()
        let end = timed(.initialize) { $0.initialize(nil, tracks: capability) }
        guard end == .done else { throw ordinary(.initialize, end) }
        try startSend()
    }

    /// The reason that a started plugin receives nothing.
    var getsNothing: Verdict {
        pluginHarness.wants.allSatisfy { $0.want == .nothing }
            ? .skipped("takes nothing of a session without participants")
            : .hindered(by: "output.wants", "gets nothing")
    }

    /// The name of an output's track.
    func name(of track: UInt32) -> String {
        pluginHarness.wants.first { $0.track.id == track }?.track.name ?? "\(track)"
    }
}

extension TracedTake {
    /// The callback that receives the media.
    var callback: String {
        switch media {
        case .frame: "video"
        case .block: "audio"
        }
    }

    /// The name with an article.
    fileprivate var inWords: String {
        switch media {
        case .block(let frames): return "a block of \(frames) samples"
        case .frame(let content, let size):
            let names: [UInt32: String] = [
                UInt32(GR_CONTENT_NEW): "a new frame",
                UInt32(GR_CONTENT_REPEATED): "a repeated frame",
                UInt32(GR_CONTENT_BLACK): "a black frame", UInt32(GR_CONTENT_SLATE): "a slate",
            ]
            return "\(names[content] ?? "a frame") of \(size)"
        }
    }
}
