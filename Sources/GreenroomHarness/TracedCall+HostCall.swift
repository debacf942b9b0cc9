import GreenroomABI
import GreenroomIPC
import GreenroomMedia
import GreenroomPluginInterface

extension TracedCall.Thread {
    /// The thread of a channel.
    init(channel index: Int) {
        self =
            switch index {
            case Channels.control: .control
            case Channels.media: .media
            default: .own(index)
            }
    }
}

extension TracedCall.Request {
    /// The request of a call; nil if it is not traced.
    init?(_ call: HostCall) {
        let (first, second, third) = call.numbers
        switch call.function {
        case .log: self = .log
        case .setError: self = .setError
        case .giveUp: self = .giveUp
        case .now: self = .now
        case .waitUntil: self = .waitUntil(nanoseconds: Int64(bitPattern: first))
        case .refusalText: self = .refusalText
        case .paused: self = .paused
        case .resumed: self = .resumed
        case .videoSend:
            let frame = call.copy(of: gr_video_frame.self) ?? gr_video_frame()
            self = .sendFrame(
                TracedFrame(
                    format: frame.format, width: frame.width, height: frame.height,
                    info: TracedInfo(frame.info)))
        case .videoAcquire:
            self = .acquire(
                format: UInt32(truncatingIfNeeded: first),
                width: UInt32(truncatingIfNeeded: second),
                height: UInt32(truncatingIfNeeded: third))
        case .videoCommit:
            let info = call.copy(of: gr_frame_info.self) ?? gr_frame_info()
            self = .commit(lease: first, TracedInfo(info))
        case .videoAbandon: self = .abandon(lease: first)
        case .audioSend:
            let block = call.copy(of: gr_audio_block.self) ?? gr_audio_block()
            self = .sendAudio(
                TracedBlock(
                    sampleRate: block.sample_rate_hz, channels: block.channels,
                    frames: block.frame_count, ptsNanoseconds: block.pts_ns,
                    timeoutNanoseconds: Int64(bitPattern: first), digest: block.digestOfSamples))
        case .keep: self = .keepFrame
        case .release: self = .releaseFrame
        case .joined: self = .joined
        case .left: self = .left
        case .openTrack: self = .openTrack
        case .closeTrack: self = .closeTrack
        case .setMuted: self = .setMuted
        case .setRecorded: self = .setRecorded
        case .report: self = .report
        case .setCeiling: self = .setCeiling
        case .outputState: self = .outputState
        default: return nil
        }
    }

    /// Whether the answer is a status.
    var hasStatus: Bool {
        switch self {
        case .log, .setError, .giveUp, .now, .refusalText: false
        default: true
        }
    }
}

extension TracedInfo {
    init(_ info: gr_frame_info) {
        self.init(
            rotation: info.rotation, range: info.range, matrix: info.matrix,
            revision: info.offer_revision, ptsNanoseconds: info.pts_ns)
    }
}

extension gr_audio_block {
    /// A digest of the samples, computed in 8-byte words and the remaining bytes.
    fileprivate var digestOfSamples: UInt64 {
        let claimed = UInt64(frame_count).multipliedReportingOverflow(by: UInt64(channels) * 2)
        let count = Int(
            clamping: claimed.overflow ? size_bytes : min(size_bytes, claimed.partialValue))
        let bytes = UnsafeRawBufferPointer(start: samples, count: samples == nil ? 0 : count)
        var digest = ContentDigest()
        var place = 0
        while place < bytes.count {
            let isWord = place + 8 <= bytes.count
            digest.add(
                isWord
                    ? bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
                    : UInt64(bytes[place]))
            place += isWord ? 8 : 1
        }
        return digest.value
    }
}
