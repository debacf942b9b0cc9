import GreenroomABI
import GreenroomMedia
import GreenroomModel
import GreenroomPluginInterface

/// The reason why a plugin's call was refused.
///
/// A refusal is a plain value: creating one costs nothing on the media path. Its text is composed
/// on demand.
package struct Refusal: Error, Equatable, Sendable {
    enum Rule: Equatable, Sendable {
        case notStarted
        case stopped
        case gone
        case null
        case structTooSmall(size: UInt32, needed: Int)
        case misaligned
        case unknownFormat(UInt32)
        case compressedLease
        case size(width: UInt32, height: UInt32)
        case planeCount(UInt32, needed: Int)
        case planeWithoutData(plane: Int)
        case stride(plane: Int, stride: UInt32, needed: Int)
        case length(plane: Int, length: UInt64, needed: Int)
        case compressedLength(UInt64, longest: Int)
        case blockLength(UInt64, needed: Int)
        case rotation(UInt32)
        case range(UInt32)
        case matrix(UInt32)
        case revision(UInt32, newest: UInt32)
        case timestamp(Int64)
        case lease(UInt64)
        case rate(UInt32)
        case channels(UInt32)
        case emptyBlock
        case longBlock(frames: UInt32, longest: Int)
        case queueFull
        case noBuffer(limit: Int)
        case poolEmpty(limit: Int)
        case data(String)
        case keptLimit(Int)
        case notLent(UInt64)
        case notKept(UInt64)
        case reportName
        case reportNumber
        case reportLimit(Int)
        case participantName
        case participantLimit(Int)
        case unknownParticipant(UInt32)
        case trackKind(UInt32)
        case secondTrack(SessionRole)
        case closedTrack
        case frameRate(UInt32, UInt32)
        case changeLimit(Int)
        case additionLimit(Int)
        case unknownTrack(UInt32)
        case audioTrack(UInt32)
        case ceiling(width: UInt32, height: UInt32, numerator: UInt32, denominator: UInt32)
        case outputState(UInt32)
        case unknownFile(String)
        case captionText(Int)
        case captionTimes(start: Int64, end: Int64)
        case commandText
        /// The broken rule and the fix of a command, in sentences.
        case command(String)
        /// The broken rule and the fix of a connection, in sentences.
        case connection(Status, String)
        case controlRate(Int)
        case noSessionYet
        case textLength(Int, capacity: UInt64)
    }

    var call: HostFunction
    var rule: Rule

    init(_ rule: Rule, in call: HostFunction) {
        self.rule = rule
        self.call = call
    }

    /// Creates the refusal of a state in which nothing is accepted.
    init(status: Status, in call: HostFunction) {
        self.call = call
        rule =
            switch status {
            case .notStarted: .notStarted
            case .stopped: .stopped
            default: .gone
            }
    }

    var status: Status {
        switch rule {
        case .notStarted, .noSessionYet: .notStarted
        case .stopped: .stopped
        case .gone: .gone
        case .null, .structTooSmall, .misaligned, .reportName, .reportNumber, .participantName,
            .unknownParticipant, .trackKind, .secondTrack, .closedTrack, .unknownTrack, .audioTrack,
            .ceiling, .outputState, .unknownFile, .captionText, .captionTimes, .commandText,
            .command:
            .badArgument
        case .unknownFormat, .compressedLease: .badFormat
        case .size: .badSize
        case .planeCount, .planeWithoutData: .badPlanes
        case .stride: .badStride
        case .length, .compressedLength, .blockLength, .textLength: .badLength
        case .rotation: .badRotation
        case .range, .matrix: .badColor
        case .revision: .badRevision
        case .timestamp: .badTimestamp
        case .lease, .notLent, .notKept: .badLease
        case .rate, .frameRate: .badRate
        case .channels: .badChannels
        case .emptyBlock, .longBlock: .badBlock
        case .queueFull: .queueFull
        case .noBuffer, .poolEmpty, .keptLimit, .participantLimit, .additionLimit: .noBuffer
        case .reportLimit, .changeLimit, .controlRate: .queueFull
        case .data: .badData
        case .connection(let status, _): status
        }
    }

    /// The status, call, rule, state and fix, in one line.
    var text: String {
        switch rule {
        case .command(let sentences), .connection(_, let sentences):
            return "\(status): \(call.facts.name): \(sentences)"
        default: break
        }
        let (rule, fix) = ruleAndFix
        return "\(status): \(call.facts.name): \(rule). \(fix)."
    }

    /// Whether the arguments are wrong. If so, the same call is always refused.
    var blamesArguments: Bool {
        (Status.badArgument.rawValue..<Status.queueFull.rawValue).contains(status.rawValue)
    }

    /// The call, the rule and the fix, for the log.
    package var news: String {
        let (rule, fix) = ruleAndFix
        return "\(call.facts.name) was refused with \(status): \(rule). \(fix)."
    }

    private var ruleAndFix: (rule: String, fix: String) {
        switch rule {
        case .notStarted:
            (
                "the state is initialized, and nothing is accepted before start-send",
                "Begin sending when start_send is called"
            )
        case .stopped:
            (
                "the state is stopped, and nothing is accepted once stop-send has begun",
                "End the sending thread before stop_send returns"
            )
        case .gone:
            (
                "the sender ended with uninitialize, or never existed",
                "Forget the sender in uninitialize"
            )
        case .null:
            ("a pointer that must not be NULL is NULL", "Pass the struct's address")
        case .structTooSmall(let size, let needed):
            (
                "struct_size is \(size), but major 1 has at least \(needed) bytes",
                "Set struct_size to sizeof the struct"
            )
        case .misaligned:
            ("samples are not on an even address", "Keep them in an array of int16_t")
        case .unknownFormat(let format):
            ("pixel format \(format) is unknown", "Use one of GR_FORMAT_...")
        case .compressedLease:
            (
                "MJPEG frames are not leased, because their length is unknown",
                "Pass them to send"
            )
        case .size(let width, let height):
            (
                "the size is \(width)x\(height); width and height must be 1 to "
                    + "\(FrameSize.maximumDimension)", "Scale the frame down or send a real size"
            )
        case .planeCount(let count, let needed):
            (
                "plane_count is \(count), but the format has \(needed) planes",
                "Set plane_count to \(needed)"
            )
        case .planeWithoutData(let plane):
            ("planes[\(plane)].data is NULL", "Point it at the plane's first row")
        case .stride(let plane, let stride, let needed):
            (
                "planes[\(plane)].stride_bytes is \(stride), but a row has \(needed) bytes",
                "Set it to the bytes from one row to the next, \(needed) to \(Int32.max)"
            )
        case .length(let plane, let length, let needed):
            (
                "planes[\(plane)].size_bytes is \(length), but its rows and stride need \(needed)",
                "Pass all rows; chroma rounds up at odd sizes: (width + 1) / 2 by (height + 1) / 2"
            )
        case .compressedLength(let length, let longest):
            (
                "planes[0].size_bytes is \(length), but an image of this size has 2 to \(longest) bytes",
                "Pass the length of the image"
            )
        case .blockLength(let length, let needed):
            (
                "size_bytes is \(length), but frame_count * channels samples need \(needed)",
                "Pass all samples, 2 bytes each"
            )
        case .rotation(let degrees):
            ("the rotation is \(degrees)", "Use 0, 90, 180 or 270 degrees clockwise")
        case .range(let range):
            ("colour range \(range) is unknown", "Use GR_RANGE_LIMITED or GR_RANGE_FULL")
        case .matrix(let matrix):
            ("colour matrix \(matrix) is unknown", "Use GR_MATRIX_BT601 or GR_MATRIX_BT709")
        case .revision(let revision, let newest):
            (
                "offer revision \(revision) was never made; the newest is \(newest)",
                "Set the revision of the offer that the frame follows"
            )
        case .timestamp(let pts):
            (
                "pts_ns is \(pts), but the session clock is never negative",
                "Use now_ns, or pass GR_PTS_UNSTAMPED"
            )
        case .lease(let id):
            (
                "lease \(id) is unknown, or was committed or abandoned before",
                "Give each lease back once"
            )
        case .rate(let rate):
            (
                "the sample rate is \(rate) Hz, but only 8000 to 192000 Hz are accepted",
                "Resample to a rate between them"
            )
        case .channels(let channels):
            (
                "the block has \(channels) channels, but only 1 or 2 are accepted",
                "Mix down to stereo"
            )
        case .emptyBlock:
            ("the block has no samples", "Send a block when it has samples")
        case .longBlock(let frames, let longest):
            (
                "the block has \(frames) frames, but at this rate 100 ms are \(longest) frames",
                "Send at most 100 ms per call"
            )
        case .queueFull:
            (
                "the queue of 200 ms has no room for the block",
                "Send in real time, or pass a timeout to be paced by the host"
            )
        case .noBuffer(let limit):
            ("all \(limit) leases are out", "Commit or abandon a lease before the next")
        case .poolEmpty(let limit):
            (
                "all \(limit) frames of the track are in use, or memory has run out",
                "Skip this frame: the host is behind"
            )
        case .keptLimit(let limit):
            ("\(limit) frames are kept already", "Release one before the next is kept")
        case .notLent(let id):
            (
                "frame \(id) does not belong to the running callback",
                "Call keep during the callback that delivers the frame"
            )
        case .notKept(let id):
            (
                "frame \(id) is not kept, or was released before", "Release each kept frame once"
            )
        case .reportName:
            (
                "the value's name is not valid",
                "Use 1 to 40 characters of a-z, 0-9 and '-', and begin with a letter"
            )
        case .reportNumber: ("the value is infinite or not a number", "Report finite numbers")
        case .participantName:
            (
                "the name is empty, or longer than \(CallRoster.longestName) bytes",
                "Pass a name for people"
            )
        case .participantLimit(let limit):
            ("the call already has \(limit) participants", "Limit the participants")
        case .unknownParticipant(let number):
            (
                "participant \(number) left, or never joined",
                "Pass a number that joined has written, until left"
            )
        case .trackKind(let kind):
            (
                "kind \(kind) is not a track of a participant",
                "Use GR_TRACK_CAMERA, MICROPHONE, SHARE or SHARE_AUDIO"
            )
        case .secondTrack(let role):
            (
                "the participant has a \(role.facts.name) already",
                "Close that track before you open another one"
            )
        case .closedTrack:
            (
                "the sender's track is closed",
                "Pass the handle from open_track; it is valid until close_track, left or stop_send"
            )
        case .frameRate(let numerator, let denominator):
            (
                "the rate is \(numerator)/\(denominator), but rates must be above 0 and at most 1000",
                "Write a rate in frames a second"
            )
        case .additionLimit(let limit):
            (
                "too many participants and tracks were added; the limit is \(limit) within a second",
                "Add fewer participants, and keep tracks open"
            )
        case .changeLimit(let limit):
            ("\(limit) changes wait for the session", "Open and close less often")
        case .reportLimit(let limit):
            ("\(limit) values are reported already", "Report fewer names")
        case .unknownTrack(let id):
            ("track \(id) was not described to this output", "Pass the id that track brought")
        case .audioTrack(let id):
            ("track \(id) has audio, but ceilings are for video", "Pass the id of a video track")
        case .ceiling(let width, let height, let numerator, let denominator):
            (
                "the ceiling is \(width)x\(height)@\(numerator)/\(denominator); each side must be 1 "
                    + "to \(FrameSize.maximumDimension), and the rate above 0 and at most 1000",
                "Pass a possible size and rate, or NULL to lift the ceiling"
            )
        case .outputState(let state):
            ("state \(state) is unknown", "Use one of GR_OUTPUT_...")
        case .unknownFile(let path):
            (
                "\(path) is not a regular file that the plugin may write to",
                "Pass the absolute path of a file in a folder of allow: write"
            )
        case .captionText(let length):
            (
                "the text has \(length) bytes, but a caption has 1 to \(GR_MAX_CAPTION)",
                "Send each sentence as a caption"
            )
        case .captionTimes(let start, let end):
            (
                "the caption is from \(start) to \(end) ns; it must begin at 0 or later, and end up to 60 s "
                    + "later",
                "Use times of the session clock"
            )
        case .commandText:
            (
                "the command is not a line of UTF-8 of up to \(ControlParser.maximumBytes) bytes",
                "Write one command per call, without a line break"
            )
        case .command(let sentences): (sentences, "Write a command of this session")
        case .connection(_, let sentences): (sentences, "Connect to what is granted")
        case .controlRate(let limit):
            ("the limit is \(limit) calls per second", "Call less often")
        case .noSessionYet:
            (
                "the session's sources were not started yet",
                "Ask again while the session runs"
            )
        case .textLength(let length, let capacity):
            (
                "the text has \(length) bytes with its NUL, but the buffer has only \(capacity)",
                "Pass a buffer of GR_MAX_CONTROL_TEXT bytes"
            )
        case .data(let fault):
            (fault, "Send a whole image of the size that the frame declares")
        }
    }
}
