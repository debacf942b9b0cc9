import Glibc
package import GreenroomMedia
package import GreenroomModel

/// The disk use of the outputs in a folder.
package struct DiskUse: Equatable, Sendable {
    /// The recorded tracks.
    package struct Tracks: Sendable {
        /// The size and rate of each track with video.
        package var video: [VideoTrackKind: VideoCapability]
        /// The number of tracks with audio.
        package var audio: Int

        /// Describes the recorded tracks.
        package init(video: [VideoTrackKind: VideoCapability], audio: Int) {
            self.video = video
            self.audio = audio
        }
    }

    /// The folder, which need not exist yet.
    package var folder: String
    /// The bytes per second; nil if unknown.
    package var bytesPerSecond: Double?
    /// Whether an unknown number of participants adds to the use.
    package var lacksParticipants = false

    /// Describes a use.
    package init(folder: String, bytesPerSecond: Double? = nil) {
        self.folder = folder
        self.bytesPerSecond = bytesPerSecond
    }

    /// The bytes per hour.
    package var bytesPerHour: Double? { bytesPerSecond.map { $0 * 3600 } }

    /// The free bytes of the folder's disk; nil if unknown.
    package var freeBytes: Double? { DiskSpace(of: folder)?.freeBytes }

    /// The use and the free space, e.g. `takes up to 149 GB an hour; 12.5 GB are free, enough for 5
    /// min 2 s`; nil if the use is unknown.
    package var words: String? {
        guard let rate = bytesPerSecond, rate > 0 else { return nil }
        let takes =
            "takes up to \(Self.words(ofBytes: rate * 3600)) an hour"
            + (lacksParticipants ? " without participants" : "")
        return freeBytes.map { free in
            "\(takes); \(Self.words(ofBytes: free)) are free, enough for "
                + DiskWatch.words(ofSeconds: free / rate)
        } ?? takes
    }

    /// The shortage and its fix; nil if the disk has room for the session, or for ten minutes of a
    /// session without a duration.
    package func shortage(for duration: Duration?) -> String? {
        let seconds = duration.map { Double($0.nanoseconds) / 1e9 } ?? DiskWatch.warnings[0]
        guard let rate = bytesPerSecond, rate > 0, let free = freeBytes, free < rate * seconds
        else {
            return nil
        }
        return
            "the disk is full after \(DiskWatch.words(ofSeconds: free / rate)): recordings take up to "
            + "\(Self.words(ofBytes: rate * 3600)) an hour, and \(Self.words(ofBytes: free)) are "
            + "free. Free some space, or record to another disk or in a smaller size. One file such as "
            + "talk.mkv takes far less than a folder."
    }

    /// An amount in decimal units with three digits, as disks are sold: `12.5 GB`.
    package static func words(ofBytes bytes: Double) -> String {
        let (amount, unit) =
            switch bytes {
            case 1e12...: (bytes / 1e12, "TB")
            case 1e9...: (bytes / 1e9, "GB")
            default: (bytes / 1e6, "MB")
            }
        let tenths = (amount * 10).rounded()
        return amount >= 100 || tenths.truncatingRemainder(dividingBy: 10) == 0
            ? "\(Int(amount.rounded())) \(unit)" : "\(tenths / 10) \(unit)"
    }
}

/// The disk of a folder.
package struct DiskSpace: Equatable, Sendable {
    /// The number of the disk's device.
    package var device: UInt64
    /// The free bytes that this user may write.
    package var freeBytes: Double

    /// Describes a disk.
    package init(device: UInt64, freeBytes: Double) {
        self.device = device
        self.freeBytes = freeBytes
    }

    /// Queries the disk of a folder.
    ///
    /// - Parameter folder: The folder. If it does not exist, its nearest existing parent counts.
    /// - Returns: The disk; nil if the system does not report it.
    package init?(of folder: String) {
        var path = folder
        var about = stat()
        while stat(path, &about) != 0 {
            guard errno == ENOENT || errno == ENOTDIR, path != "/" else { return nil }
            let above = path.lastIndex(of: "/").map { path[..<$0] } ?? "."
            path = above.isEmpty ? "/" : String(above)
        }
        var space = statvfs()
        guard statvfs(path, &space) == 0 else { return nil }
        self.init(
            device: UInt64(about.st_dev),
            freeBytes: Double(space.f_bavail) * Double(space.f_frsize))
    }
}
