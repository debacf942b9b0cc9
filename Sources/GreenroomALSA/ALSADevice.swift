import CALSA
import Glibc

/// A PCM from ALSA's device list.
public struct ALSADevice: Hashable, Sendable {
    /// The name to open.
    public var name: String
    /// A description for users, one line.
    public var description: String
    /// Whether it supports playback.
    public var canPlay: Bool
    /// Whether it supports capture.
    public var canCapture: Bool

    /// Makes a description of a device.
    public init(name: String, description: String, canPlay: Bool, canCapture: Bool) {
        self.name = name
        self.description = description
        self.canPlay = canPlay
        self.canCapture = canCapture
    }

    /// All PCMs that ALSA lists. A user's own PCM is listed if its definition has a `hint`;
    /// unlisted names may still open.
    public static func all() throws(ALSAError) -> [ALSADevice] {
        var hints: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
        try attempt("snd_device_name_hint", on: "") {
            Int(snd_device_name_hint(-1, "pcm", &hints))
        }
        guard let hints else { return [] }
        defer { snd_device_name_free_hint(hints) }
        var devices: [ALSADevice] = []
        var hint = hints
        while let entry = hint.pointee {
            hint += 1
            guard let name = text("NAME", of: entry) else { continue }
            let description = text("DESC", of: entry) ?? ""
            // A device without a direction supports both.
            let direction = text("IOID", of: entry)
            devices.append(
                ALSADevice(
                    name: name,
                    description: description.split(separator: "\n").joined(separator: ", "),
                    canPlay: direction != "Input", canCapture: direction != "Output"))
        }
        return devices
    }

    private static func text(_ id: String, of hint: UnsafeRawPointer) -> String? {
        guard let text = snd_device_name_get_hint(hint, id) else { return nil }
        defer { free(text) }
        return String(cString: text)
    }

    /// Whether this machine has a sound card known to ALSA.
    public static var hasCard: Bool {
        var card: Int32 = -1
        return snd_card_next(&card) == 0 && card >= 0
    }
}
