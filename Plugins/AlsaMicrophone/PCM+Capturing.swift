import GreenroomALSA
import GreenroomPlugin

extension PCM {
    /// Opens the device in the settings, with a buffer of 200 ms.
    ///
    /// - Throws: A ``PluginError`` with device, problem and fix.
    static func capturing(_ settings: AlsaMicrophone.Settings) throws(PluginError) -> PCM {
        let card: PCM
        do throws(ALSAError) {
            card = try PCM(
                opening: settings.device, direction: .capture,
                format: AudioFormat(sampleRate: settings.rate, channels: settings.channels),
                periodFrames: settings.rate / 100, bufferFrames: settings.rate / 5)
        } catch {
            throw PluginError(
                "\(settings.device): \(error)",
                status: error.isUnknownName ? .badSetting : .unavailable)
        }
        guard AudioFormat(sampleRate: card.sampleRate, channels: card.channels).isLegal else {
            throw PluginError(
                "\(settings.device): its rate is \(card.sampleRate) Hz; sessions accept 8000 "
                    + "to 192000; a name that begins with plughw: instead of hw: converts",
                status: .unavailable)
        }
        return card
    }
}
