// The names are the vendor's.
// swift-format-ignore-file: AlwaysUseLowerCamelCase
import AppleMediaStyle

/// The result of a call; senders do not throw. The Video SDK has the same cases and numbers.
public enum ZoomVideoSDKError: UInt, Sendable {
    /// Done.
    case Errors_Success = 0
    /// Not possible now.
    case Errors_Wrong_Usage
    /// A fault of the host.
    case Errors_Internal_Error
    /// The sender has ended.
    case Errors_Uninitialize
    /// The host has no memory for the frame now.
    case Errors_Memory_Error
    /// A size, length or rate is wrong.
    case Errors_Invalid_Parameter = 7
    /// Called too often.
    case Errors_Call_Too_Frequently
    /// Greenroom does not have it.
    case Errors_No_Impl
    /// The host does not have it.
    case Errors_Dont_Support_Feature
    /// Something else.
    case Errors_Unknown
    /// Video is sent between start and stop alone.
    case Errors_Video_Module_Not_Ready = 6004
    /// A share is sent between start and stop alone.
    case Errors_Share_Module_Not_Ready = 6008
    /// Audio is sent between start and stop alone.
    case Errors_Audio_Module_Not_Ready = 6011
    /// Another refusal; the log has its text.
    case Errors_Rawdata_Internal_Error = 6019
    /// More than 100 ms of audio in a call.
    case Errors_Rawdata_Send_Too_Much_Data_In_Single_Time
    /// More than 200 ms of audio ahead.
    case Errors_Rawdata_Send_Too_Frequently
    /// The microphone was stopped.
    case Errors_Rawdata_Virtual_Mic_Is_Terminate

    /// The code for a refusal of the host; nil if the host took the media.
    init(_ status: Status?, stopped: ZoomVideoSDKError) {
        switch status {
        case nil: self = .Errors_Success
        case .stopped, .notStarted: self = stopped
        case .gone: self = .Errors_Uninitialize
        case .noBuffer: self = .Errors_Memory_Error
        case .badBlock: self = .Errors_Rawdata_Send_Too_Much_Data_In_Single_Time
        case .queueFull: self = .Errors_Rawdata_Send_Too_Frequently
        case .unsupported: self = .Errors_Dont_Support_Feature
        // Faults of the call: size, length, rotation, rate, …
        case let status? where (10..<30).contains(status.rawValue): self = .Errors_Invalid_Parameter
        default: self = .Errors_Rawdata_Internal_Error
        }
    }
}
