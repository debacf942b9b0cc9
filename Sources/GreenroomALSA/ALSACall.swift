import CALSA
import SystemPackage

/// Calls ALSA and captures its messages, which it would print to standard error.
///
/// - Parameters:
///   - call: The function's name, for the error.
///   - pcm: The PCM's name, for the error.
///   - body: Calls the function and returns its result.
/// - Returns: The result, not negative.
@discardableResult
func attempt(
    _ call: StaticString, on pcm: String, _ body: () -> Int
) throws(ALSAError) -> Int {
    greenroom_alsa_capture_text()
    let result = body()
    greenroom_alsa_end_capture()
    guard result < 0 else { return result }
    let code = Int32(clamping: -result)
    let said = String(cString: greenroom_alsa_text())
    throw ALSAError(
        call: "\(call)", pcm: pcm, underlyingError: Errno(rawValue: code),
        message: said.isEmpty ? String(cString: snd_strerror(-code)) : said)
}
