internal import GreenroomABI
internal import GreenroomMedia

/// An offer, taken over from the host.
struct ReceivedOffer {
    var revision: UInt32
    var rows: [VideoCapability]
    var suggested: VideoCapability

    init(_ offer: UnsafePointer<gr_offer>) throws(PluginError) {
        guard offer.pointee.struct_size >= MemoryLayout<gr_offer>.size else {
            throw .short("gr_offer")
        }
        let offer = offer.pointee
        guard let suggested = VideoCapability(offer.suggested) else {
            throw PluginError("the host suggests no legal size and rate", status: .badArgument)
        }
        revision = offer.revision
        rows = UnsafeBufferPointer(start: offer.rows, count: Int(offer.row_count))
            .compactMap { VideoCapability($0) }
        self.suggested = suggested
    }
}

extension UnsafeMutablePointer<gr_answer> {
    /// Whether there is room for an answer; checked before the plugin is asked for one.
    func check() throws(PluginError) {
        guard pointee.struct_size >= MemoryLayout<gr_answer>.size else {
            throw .short("gr_answer")
        }
    }

    /// Writes an answer down.
    func write(_ answer: VideoAnswer, to offer: ReceivedOffer) {
        let kind =
            switch answer {
            case .accept: GR_ANSWER_ACCEPT
            case .counter: GR_ANSWER_COUNTER
            case .fixed: GR_ANSWER_FIXED
            }
        pointee.kind = UInt32(kind)
        pointee.capability = gr_capability(answer.capability(suggested: offer.suggested))
    }
}

extension VideoCapability {
    /// Nil for a size or a rate that is not legal.
    init?(_ capability: gr_capability) {
        let size = FrameSize(width: Int(capability.width), height: Int(capability.height))
        guard size.isLegal,
            let rate = FrameRate(
                numerator: capability.fps_numerator, denominator: capability.fps_denominator)
        else { return nil }
        self.init(size: size, rate: rate)
    }
}

extension gr_capability {
    init(_ capability: VideoCapability) {
        self.init(
            width: UInt32(clamping: capability.size.width),
            height: UInt32(clamping: capability.size.height),
            fps_numerator: capability.rate.numerator,
            fps_denominator: capability.rate.denominator)
    }
}

extension PluginError {
    static func short(_ name: String) -> PluginError {
        PluginError(
            "the host passed a \(name) shorter than in major 1", status: .badArgument)
    }
}
