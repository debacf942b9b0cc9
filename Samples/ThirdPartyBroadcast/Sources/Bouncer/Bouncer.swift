import GreenroomBroadcast
import GreenroomPlugin

/// A square that bounces, on a screen that is turned now and then, as a phone is.
struct Bouncer: ShareSource {
    static let plugin = PluginDescription(
        id: "com.example.bouncer", name: "Bouncer", version: "1.0.0",
        summary: "A square that bounces on a screen that turns")

    private let host: PluginHost
    private var limit = VideoCapability(width: 1280, height: 720, fps: 30)
    private var thread: PluginThread?

    init(settings: NoSettings, host: PluginHost) { self.host = host }

    mutating func onShareInitialize(limit: VideoCapability) -> VideoAnswer {
        self.limit = limit
        return .accept
    }

    mutating func onShareSendStarted(_ sender: ShareSender) throws {
        let (host, limit) = (host, limit)
        thread = try PluginThread(name: "bouncer") { send(limit, to: sender, of: host) }
    }

    mutating func onShareSendStopped() {
        thread?.join()
        thread = nil
    }
}

/// Sends frames until the host stops it: two seconds upright, two turned to the right, and so on.
/// Every ten seconds it has nothing to show for a second, and says so.
private func send(_ capability: VideoCapability, to sender: ShareSender, of host: PluginHost) {
    let start = host.nowNanoseconds
    let turns: [Rotation] = [.none, .quarter, .half, .threeQuarters]
    var isPaused = false
    for number in 0... {
        let time = capability.rate.dueNanoseconds(ofFrame: Int64(number))
        guard host.wait(untilNanoseconds: start + time) == .ok else { return }
        let tenths = Int(time / 100_000_000)
        if isPaused != (tenths % 100 >= 90) {
            isPaused.toggle()
            if isPaused { host.pauseShare() } else { host.resumeShare() }
        }
        guard !isPaused else { continue }
        // Without a buffer the host is behind, and the frame is left out.
        guard var frame = try? sender.acquire(format: .i420, size: capability.size) else {
            continue
        }
        let turn = turns[tenths / 20 % turns.count]
        draw(number, turn, into: &frame)
        let info = FrameInfo(
            rotation: turn, color: .bt709Limited, ptsNanoseconds: start + time)
        try? frame.commit(info)
    }
}

/// A square, and a white edge where the top is once the frame has been turned upright.
private func draw(_ number: Int, _ turn: Rotation, into frame: inout VideoLease) {
    let (width, height) = (frame.size.width, frame.size.height)
    let side = height / 4
    let edge = height / 20
    let left = bounce(number * 6, within: width - side)
    let top = bounce(number * 5, within: height - side)
    for y in 0..<height {
        var row = frame.row(y)
        row.update(repeating: 60)
        if (top..<top + side).contains(y) {
            for x in left..<left + side { row[x] = 180 }
        }
        switch turn {
        case .none: if y < edge { row.update(repeating: 235) }
        case .quarter: for x in 0..<edge { row[x] = 235 }
        case .half: if y >= height - edge { row.update(repeating: 235) }
        case .threeQuarters: for x in width - edge..<width { row[x] = 235 }
        }
    }
    frame.fill(plane: 1, with: 140)
    frame.fill(plane: 2, with: 116)
}

private func bounce(_ way: Int, within length: Int) -> Int {
    let there = way % (2 * max(length, 1))
    return there < length ? there : 2 * length - there
}
