import Glibc

/// Why ALSA refused something.
public struct ALSAError: Error, Sendable, CustomStringConvertible {
    /// The function of ALSA that failed, e.g. `snd_pcm_open`.
    public var call: String
    /// The name of the PCM.
    public var pcm: String
    /// The error number, positive, e.g. `ENODEV`.
    public var code: Int32
    /// What ALSA says of it.
    public var message: String

    /// Makes an error.
    public init(call: String, pcm: String, code: Int32, message: String) {
        self.call = call
        self.pcm = pcm
        self.code = code
        self.message = message
    }

    /// What a user can do about it; nil if there is no advice.
    public var cure: String? {
        switch code {
        case ENOENT where message.hasPrefix("Unknown PCM"):
            return "There is no device of this name: `greenroom devices` lists what there is. A "
                + "name of your own is defined in ~/.asoundrc, or in a file that "
                + "ALSA_CONFIG_PATH names and that begins with </usr/share/alsa/alsa.conf>."
        case ENOENT where message.hasPrefix("Cannot access file"):
            return "ALSA_CONFIG_PATH names it: a path there can have neither spaces nor colons."
        case ENOENT, ENODEV, ENXIO:
            return Self.noCard + " `greenroom devices` lists what there is."
        case EBUSY:
            return "Another program has it: end that program, or use a device that shares, such "
                + "as \"default\" or \"dmix\"."
        case EACCES, EPERM:
            return "This user may not use sound: add it to the group audio, and log in again."
        default: return nil
        }
    }

    /// What to do on a machine without a sound card.
    public static let noCard =
        "There is no such sound card here. Use the device \"null\", quotes included, or define a PCM of `type "
        + "null` or `type file` in a file that ALSA_CONFIG_PATH names and that begins with "
        + "</usr/share/alsa/alsa.conf>."

    /// The device, what is wrong, and the cure.
    public var description: String {
        "\(message) (\(call)).\(cure.map { " \($0)" } ?? "")"
    }
}
