import GreenroomABI
import GreenroomIPC
import GreenroomMedia

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
    /// The request in a message that is not yet answered; nil if the call is not part of the
    /// interface.
    init?(_ call: RemoteCall, _ channel: Channel) {
        let subject = MessageLayout.subject
        switch call {
        case .log: self = .log
        case .setError: self = .setError
        case .giveUp: self = .giveUp
        case .now: self = .now
        case .waitUntil: self = .waitUntil(nanoseconds: channel.read(at: subject))
        case .refusalText: self = .refusalText
        case .paused: self = .paused
        case .resumed: self = .resumed
        case .videoSend:
            let frame = channel.read(gr_video_frame.self, at: subject)
            self = .sendFrame(
                TracedFrame(
                    format: frame.format, width: frame.width, height: frame.height,
                    info: TracedInfo(frame.info)))
        case .videoAcquire:
            self = .acquire(
                format: channel.read(at: subject), width: channel.read(at: subject + 4),
                height: channel.read(at: subject + 8))
        case .videoCommit:
            self = .commit(
                lease: channel.read(at: subject),
                TracedInfo(channel.read(gr_frame_info.self, at: subject + 8)))
        case .videoAbandon: self = .abandon(lease: channel.read(at: subject))
        case .audioSend:
            let block = channel.read(gr_audio_block.self, at: subject)
            self = .sendAudio(
                TracedBlock(
                    sampleRate: block.sample_rate_hz, channels: block.channels,
                    frames: block.frame_count, ptsNanoseconds: block.pts_ns,
                    timeoutNanoseconds: channel.read(at: MessageLayout.number),
                    digest: channel.digestOfSamples(of: block)))
        case .keepFrame: self = .keepFrame
        case .releaseFrame: self = .releaseFrame
        case .joined: self = .joined
        case .left: self = .left
        case .openTrack: self = .openTrack
        case .closeTrack: self = .closeTrack
        case .setMuted: self = .setMuted
        case .setRecorded: self = .setRecorded
        case .reportValue: self = .report
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

extension Channel {
    /// A digest of the samples in the message, computed in 8-byte words and the remaining bytes.
    fileprivate func digestOfSamples(of block: gr_audio_block) -> UInt64 {
        let claimed = UInt64(block.frame_count).multipliedReportingOverflow(
            by: UInt64(block.channels) * 2)
        let most = message.count - MessageLayout.samples
        let count = claimed.overflow ? most : min(most, Int(clamping: claimed.partialValue))
        var digest = ContentDigest()
        var place = MessageLayout.samples
        let end = place + count
        while place < end {
            let word =
                place + 8 <= end
                ? read(UInt64.self, at: place) : UInt64(read(UInt8.self, at: place))
            digest.add(word)
            place += place + 8 <= end ? 8 : 1
        }
        return digest.value
    }
}
