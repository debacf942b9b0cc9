import CALSA
import Glibc

/// A PCM that ALSA's configuration offers to users.
public struct ALSADevice: Hashable, Sendable {
    /// The name to open it by.
    public var name: String
    /// What it is, for people, in one line.
    public var description: String
    /// Whether it plays.
    public var canPlay: Bool
    /// Whether it captures.
    public var canCapture: Bool

    /// Makes a description of a device.
    public init(name: String, description: String, canPlay: Bool, canCapture: Bool) {
        self.name = name
        self.description = description
        self.canPlay = canPlay
        self.canCapture = canCapture
    }

    /// Every PCM that ALSA lists. PCMs of a user's own are among them if their definition has
    /// a `hint`; a name that is not listed may still open.
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
            // A device without a direction has both.
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

    /// Whether ALSA knows a sound card on this machine.
    public static var hasCard: Bool {
        var card: Int32 = -1
        return snd_card_next(&card) == 0 && card >= 0
    }
}
