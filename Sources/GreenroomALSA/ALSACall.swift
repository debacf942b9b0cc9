import CALSA

/// Calls ALSA with its messages kept off standard error.
///
/// - Parameters:
///   - call: The name of the function, for the error.
///   - pcm: The name of the PCM, for the error.
///   - body: Makes the call, and returns what it returned.
/// - Returns: What the body returned, which is not negative.
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
        call: "\(call)", pcm: pcm, code: code,
        message: said.isEmpty ? String(cString: snd_strerror(-code)) : said)
}
