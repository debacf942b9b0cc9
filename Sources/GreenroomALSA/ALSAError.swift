import Glibc
public import SystemPackage

/// A failed ALSA call: its name, ALSA's message and advice for the user.
public struct ALSAError: Error, Sendable, CustomStringConvertible {
    /// The failed function, e.g. `snd_pcm_open`.
    public var call: String
    /// The name of the PCM.
    public var pcm: String
    /// The error of ALSA, which uses the numbers of the system.
    public var underlyingError: Errno
    /// ALSA's message.
    public var message: String

    /// Makes an error.
    public init(call: String, pcm: String, underlyingError: Errno, message: String) {
        self.call = call
        self.pcm = pcm
        self.underlyingError = underlyingError
        self.message = message
    }

    /// Whether ALSA's configuration has no PCM of the name: no attempt can succeed.
    public var isUnknownName: Bool {
        underlyingError == .noSuchFileOrDirectory && message.hasPrefix("Unknown PCM")
    }

    /// Advice for the user; nil if there is none.
    public var cure: String? {
        switch underlyingError.rawValue {
        case _ where isUnknownName:
            return "No device has this name: `greenroom devices` lists all devices. Your "
                + "own names are defined in ~/.asoundrc, or in a file that "
                + "ALSA_CONFIG_PATH names and that begins with </usr/share/alsa/alsa.conf>."
        case _ where message.lowercased().hasPrefix("cannot access file"):
            return
                "It is a file of ALSA's configuration. A sandboxed plugin needs the grant to read it; "
                + "paths in ALSA_CONFIG_PATH can't contain spaces or colons."
        case ENOENT, ENODEV, ENXIO:
            return Self.noCard + " `greenroom devices` lists all devices."
        case EBUSY:
            return "Another program has it: end that program, or use a device that shares, such "
                + "as \"default\" or \"dmix\"."
        case EACCES, EPERM:
            return
                "This user may not use audio devices: add the user to the group audio, and log in again."
        default: return nil
        }
    }

    /// Advice for a machine without a sound card.
    public static let noCard =
        "This machine has no such sound card. Use the device \"null\", quotes included, or define a PCM of `type "
        + "null` or `type file` in a file that ALSA_CONFIG_PATH names and that begins with "
        + "</usr/share/alsa/alsa.conf>."

    /// The device, the problem and the fix.
    public var description: String {
        "\(message) (\(call)).\(cure.map { " \($0)" } ?? "")"
    }
}
