package import GreenroomABI
package import GreenroomMedia
package import GreenroomNegotiation

/// A call of a function of the plugin in `plugin.h` and its extensions, on the control thread.
///
/// This enum is the only description of the functions. ``PluginFunctions`` makes the C call, whether in the host's
/// process or in the plugin's, to which the call travels as a message. Frames and blocks of audio have separate
/// functions, which do not allocate.
package enum PluginCall: Sendable {
    /// Passes a sender, or 0, and an offer.
    case initialize(sender: UInt64, offer: Offer?)
    case propertyChange(Offer)
    /// Changes a live parameter.
    case setParameter(PluginSetting)
    case startSend, stopSend, uninitialize, destroy
    case getExtension(String)
    /// Describes a track to an output, which may change its last want.
    case track(OutputTrack, want: gr_want)
    /// Notifies an output that a participant's track has ended.
    case trackEnded(UInt32)
    /// Passes the demand for a participant's track to a call.
    case demand(Demand)
    /// Passes an event of the session, as JSON, to a plugin with the `control` grant.
    case event(String)
}

/// The result of a ``PluginCall``. All of its members are numbers, which the receiver checks.
package struct PluginReply: BitwiseCopyable, Sendable {
    private var code: gr_status
    /// The plugin's answer to an offer.
    package var answer = gr_answer()
    /// The output's want of a track.
    package var want = gr_want()
    /// The address of an extension; 0 if the plugin has none.
    package var address: UInt64 = 0

    /// Makes the reply of a plugin that writes nothing: it accepts the offer, and keeps its last want.
    package init(to call: PluginCall, _ status: Status = .ok) {
        code = status.rawValue
        switch call {
        case .initialize(_, let offer?), .propertyChange(let offer):
            answer = gr_answer(accepting: offer)
        case .track(_, let want): self.want = want
        default: break
        }
    }

    package var status: Status {
        get { Status(rawValue: code) }
        set { code = newValue.rawValue }
    }
}
