/// The result of a call across the plugin interface. Raw values are those of `GR_STATUS_…`.
public struct Status: RawRepresentable, Hashable, Sendable {
    /// The number that crosses the interface.
    public let rawValue: Int32

    /// Makes a status of any number, even if the header does not define the number.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// Done.
    public static let ok = Status(rawValue: 0)

    /// Sent before start-send was called.
    public static let notStarted = Status(rawValue: 1)
    /// Sent after stop-send was called.
    public static let stopped = Status(rawValue: 2)
    /// The sender or the instance has ended.
    public static let gone = Status(rawValue: 3)

    /// A null where it is not allowed, or a struct too small.
    public static let badArgument = Status(rawValue: 10)
    /// The pixel format is unknown, or not for this call.
    public static let badFormat = Status(rawValue: 11)
    /// Width or height is zero or too large.
    public static let badSize = Status(rawValue: 12)
    /// The number of planes is wrong, or one has no data.
    public static let badPlanes = Status(rawValue: 13)
    /// A stride is shorter than a row.
    public static let badStride = Status(rawValue: 14)
    /// A plane is shorter than its rows and stride need.
    public static let badLength = Status(rawValue: 15)
    /// The rotation is not 0, 90, 180 or 270.
    public static let badRotation = Status(rawValue: 16)
    /// The range or the matrix is unknown.
    public static let badColor = Status(rawValue: 17)
    /// The offer revision was never made.
    public static let badRevision = Status(rawValue: 18)
    /// The stamp is negative.
    public static let badTimestamp = Status(rawValue: 19)
    /// The lease is unknown or already returned.
    public static let badLease = Status(rawValue: 20)
    /// The sample rate is outside 8000 to 192000 Hz.
    public static let badRate = Status(rawValue: 21)
    /// The number of channels is not 1 or 2.
    public static let badChannels = Status(rawValue: 22)
    /// The audio block is empty or longer than 100 ms.
    public static let badBlock = Status(rawValue: 23)
    /// The answer is outside the offer.
    public static let badAnswer = Status(rawValue: 24)
    /// A setting is unknown, of another type, or out of bounds.
    public static let badSetting = Status(rawValue: 25)
    /// Compressed data does not decode to its declared size.
    public static let badData = Status(rawValue: 26)

    /// No room now; try again later.
    public static let queueFull = Status(rawValue: 30)
    /// Every buffer of the pool is in use.
    public static let noBuffer = Status(rawValue: 31)

    /// The plugin failed; its error text says why.
    public static let failed = Status(rawValue: 40)
    /// A device, file or library is missing.
    public static let unavailable = Status(rawValue: 41)
    /// The other side does not support it.
    public static let unsupported = Status(rawValue: 42)

    /// Every status with its name in the C header, without `GR_STATUS_`.
    public static let all: [(status: Status, name: String)] = [
        (.ok, "OK"), (.notStarted, "NOT_STARTED"), (.stopped, "STOPPED"), (.gone, "GONE"),
        (.badArgument, "BAD_ARGUMENT"), (.badFormat, "BAD_FORMAT"), (.badSize, "BAD_SIZE"),
        (.badPlanes, "BAD_PLANES"), (.badStride, "BAD_STRIDE"), (.badLength, "BAD_LENGTH"),
        (.badRotation, "BAD_ROTATION"), (.badColor, "BAD_COLOR"), (.badRevision, "BAD_REVISION"),
        (.badTimestamp, "BAD_TIMESTAMP"), (.badLease, "BAD_LEASE"), (.badRate, "BAD_RATE"),
        (.badChannels, "BAD_CHANNELS"), (.badBlock, "BAD_BLOCK"), (.badAnswer, "BAD_ANSWER"),
        (.badSetting, "BAD_SETTING"), (.badData, "BAD_DATA"), (.queueFull, "QUEUE_FULL"),
        (.noBuffer, "NO_BUFFER"), (.failed, "FAILED"), (.unavailable, "UNAVAILABLE"),
        (.unsupported, "UNSUPPORTED"),
    ]
}

extension Status: CustomStringConvertible {
    /// The name in the C header, `"NOT_STARTED"`, or `"status 77"`.
    public var description: String {
        Self.all.first { $0.status == self }?.name ?? "status \(rawValue)"
    }
}
