/// The defaults and limits of the host: the only place for each number. The manual's page *Limits*
/// is made from ``pages``.
package enum Limits {
    // MARK: A session

    /// The largest video of a session that says nothing else.
    package static let maximum = VideoCapability(width: 1920, height: 1080, fps: 30)
    /// Named sources of one kind.
    package static let namedRoles = 64
    package static let outputs = 256
    /// Filters of one source.
    package static let filters = 64
    package static let frameRate = 1000
    /// `GR_MAX_PARTICIPANTS`
    package static let participants = 64
    /// Participants who have left, and ended tracks of each participant, in the report.
    package static let reportedParticipants = 1000
    /// Bytes of a participant's name.
    package static let nameBytes = 100
    /// Commands that wait for the session.
    package static let queuedCommands = 1000
    /// Clients of a session's socket.
    package static let socketClients = 16
    /// The clients of a session's socket that follow events; the others can control the session.
    package static let socketFollowers = 12
    /// Events that the session's socket keeps.
    package static let keptEvents = 500

    // MARK: A plugin

    package static let callbackDeadlineNanoseconds: Int64 = 2_000_000_000
    /// The callback deadline on a virtual clock, where a slow machine only takes longer.
    package static let virtualCallbackDeadlineNanoseconds: Int64 = 60_000_000_000
    /// The silence after which the log reports a source. Until then the source's last frame stays.
    package static let silenceNanoseconds: Int64 = 900_000_000
    /// Private memory of a plugin's process, in megabytes.
    package static let memoryMegabytes: Int32 = 256
    /// The bounds of that limit in a session file.
    package static let memoryMegabyteBounds: ClosedRange<Int32> = 16...64_000
    /// Threads of a plugin's process: 256 with a channel, and others that never call the host.
    package static let threads = 1_024
    /// Log lines of a plugin in a second.
    package static let logLines = 100
    /// Leases of a video sender.
    package static let leasedFrames = 8
    /// `GR_MAX_KEPT`
    package static let keptFrames = 8
    /// Frames that an output may be late: the latency of 100 ms at 120 frames a second, plus a third.
    package static let outputFrames = 16
    /// The delays of restarts, in the order of the failures within ``restartMemoryNanoseconds``. After one more
    /// failure, the host does not restart the plugin.
    package static let restartDelaysNanoseconds: [Int64] = [
        500_000_000, 1_000_000_000, 2_000_000_000, 4_000_000_000, 8_000_000_000,
    ]
    package static let restartMemoryNanoseconds: Int64 = 60_000_000_000
    /// Files of an installed plugin.
    package static let installedFiles = 10_000
    /// Bytes of an installed plugin.
    package static let installedBytes = 1_000_000_000
    /// Time for loading a library and reading its descriptors.
    package static let loadingNanoseconds: Int64 = 5_000_000_000

    // MARK: Delays

    /// The delay of mixed audio and scheduled video behind session time. Frames and blocks that are
    /// sent in time, or slightly late, arrive within the delay.
    package static let playoutDelayNanoseconds: Int64 = 100_000_000
    /// The time before a slate replaces the last frame of a failed source.
    package static let slateDelayNanoseconds: Int64 = 1_000_000_000
    /// The time without a lower ceiling before a higher one applies.
    package static let riseDelayNanoseconds: Int64 = 3_000_000_000
    /// The shortest time between two sizes of a recorded share.
    package static let shapeIntervalNanoseconds: Int64 = 1_000_000_000
    /// Changes of a recorded share's size. Later shapes are shown with bars.
    package static let shapeChanges = 100
}

// MARK: - The page

extension Limits {
    /// The tables of the page, by the name of the generated part.
    package static let pages: [(part: String, table: String)] = [
        (
            "first",
            table(
                ["you notice", "the limit", "change it with"],
                [
                    [
                        "the video is smaller than the camera's", "\(maximum)",
                        "`maximum` under `session`",
                    ],
                    [
                        "a source fails when it starts",
                        "\(seconds(callbackDeadlineNanoseconds + silenceNanoseconds)) to the first frame: "
                            + "`callback-deadline` + \(seconds(silenceNanoseconds))",
                        "`start-deadline`",
                    ],
                    [
                        "a plugin is killed because it hangs",
                        "\(seconds(callbackDeadlineNanoseconds)) for a callback; "
                            + "\(seconds(virtualCallbackDeadlineNanoseconds)) on the virtual clock",
                        "`callback-deadline`",
                    ],
                    [
                        "a plugin is killed because of its memory",
                        "\(memoryMegabytes) MB of private memory",
                        "`memory-limit`, \(memoryMegabyteBounds.lowerBound) MB to "
                            + "\(memoryMegabyteBounds.upperBound / 1000) GB",
                    ],
                    [
                        "a plugin stays off after several crashes",
                        "restarts after "
                            + restartDelaysNanoseconds.map { seconds($0).dropLast(2) }.joined(
                                separator: ", ")
                            + " s; none after the sixth failure within a minute",
                        "`on-failure`",
                    ],
                    [
                        "a slate replaces the last frame",
                        "\(seconds(slateDelayNanoseconds)) after the source failed", "",
                    ],
                    [
                        "the video becomes larger again only later",
                        "\(seconds(riseDelayNanoseconds)) without a lower [ceiling](concepts.md#ceiling)",
                        "",
                    ],
                    [
                        "outputs are behind their sources",
                        "\(playoutDelayNanoseconds / 1_000_000) ms", "",
                    ],
                    [
                        "an output drops frames",
                        "\(outputFrames) queued frames, or 1 s of audio",
                        "a smaller [requested format](concepts.md#requested-format)",
                    ],
                ])
        ),
        (
            "session",
            table(
                ["limit", "value"],
                [
                    ["named cameras, microphones, shares and stages", "\(namedRoles) of each"],
                    ["outputs", "\(outputs)"],
                    [
                        "`maximum`, and each row of `table`",
                        "\(FrameSize.maximumDimension)x\(FrameSize.maximumDimension) at "
                            + "\(frameRate) fps",
                    ],
                    [
                        "participants at a time",
                        "\(participants); guests of a room: [People](#people)",
                    ],
                    ["participants in the report", "the newest \(written(reportedParticipants))"],
                    ["width and height of a frame", "\(FrameSize.maximumDimension) pixels each"],
                    [
                        "audio of a source",
                        "\(AudioFormat.legalRates.lowerBound) to "
                            + "\(AudioFormat.legalRates.upperBound) Hz, 1 or 2 channels, 16 bits",
                    ],
                    ["a block of audio", "\(AudioFormat.longestBlockMilliseconds) ms"],
                    ["names of participants", "\(nameBytes) bytes"],
                    [
                        "clients of a session's socket",
                        "\(socketClients); at most \(socketFollowers) of them follow events",
                    ],
                    ["events that `greenroom logs` keeps", "\(keptEvents)"],
                    [
                        "recording files of a share that changes its size",
                        "1 new file per second, \(shapeChanges) in total",
                    ],
                ])
        ),
        (
            "plugin",
            table(
                ["limit", "value"],
                [
                    ["threads of its process", "\(written(threads))"],
                    [
                        "log lines",
                        "\(logLines) per second; the host counts and drops further lines",
                    ],
                    ["leased frames at a time", "\(leasedFrames)"],
                    ["queue of a microphone", "200 ms"],
                    ["frames that an output keeps at a time", "\(keptFrames)"],
                    [
                        "size of an installed plugin",
                        "\(installedBytes / 1_000_000_000) GB, \(written(installedFiles)) files",
                    ],
                    [
                        "time to load a library",
                        "\(seconds(loadingNanoseconds)), or `callback-deadline` if it is longer",
                    ],
                ])
        ),
    ]

    private static func table(_ head: [String], _ rows: [[String]]) -> String {
        ([head, head.map { _ in "---" }] + rows).map { row in
            "|" + row.map { $0.isEmpty ? " |" : " \($0) |" }.joined()
        }.joined(separator: "\n")
    }

    /// A time as text, such as `2 s` or `0.9 s`.
    package static func seconds(_ nanoseconds: Int64) -> String {
        let seconds = Double(nanoseconds) / 1e9
        return "\(seconds == seconds.rounded() ? "\(Int(seconds))" : "\(seconds)") s"
    }

    /// A count with thousands, such as `10,000`.
    private static func written(_ count: Int) -> String {
        guard count >= 1000 else { return "\(count)" }
        let rest = "\(count % 1000)"
        return "\(count / 1000)," + String(repeating: "0", count: 3 - rest.count) + rest
    }
}
