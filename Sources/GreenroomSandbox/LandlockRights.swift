/// Landlock's access rights for files, with the kernel's numbers.
struct LandlockRights: OptionSet, Sendable {
    let rawValue: UInt64

    static let execute = LandlockRights(rawValue: 1 << 0)
    static let writeFile = LandlockRights(rawValue: 1 << 1)
    static let readFile = LandlockRights(rawValue: 1 << 2)
    static let readFolder = LandlockRights(rawValue: 1 << 3)
    static let removeFolder = LandlockRights(rawValue: 1 << 4)
    static let removeFile = LandlockRights(rawValue: 1 << 5)
    static let makeCharacterDevice = LandlockRights(rawValue: 1 << 6)
    static let makeFolder = LandlockRights(rawValue: 1 << 7)
    static let makeFile = LandlockRights(rawValue: 1 << 8)
    static let makeSocket = LandlockRights(rawValue: 1 << 9)
    static let makePipe = LandlockRights(rawValue: 1 << 10)
    static let makeBlockDevice = LandlockRights(rawValue: 1 << 11)
    static let makeLink = LandlockRights(rawValue: 1 << 12)
    /// Renaming and linking between folders.
    static let refer = LandlockRights(rawValue: 1 << 13)
    static let truncate = LandlockRights(rawValue: 1 << 14)
    static let controlDevice = LandlockRights(rawValue: 1 << 15)

    /// Rights for files. The kernel accepts all other rights for folders only.
    static let ofFiles: LandlockRights = [
        .execute, .writeFile, .readFile, .truncate, .controlDevice,
    ]

    /// All rights of a version of Landlock.
    static func known(version: Int) -> LandlockRights {
        var rights = LandlockRights(rawValue: (1 << 13) - 1)
        if version >= 2 { rights.insert(.refer) }
        if version >= 3 { rights.insert(.truncate) }
        if version >= 5 { rights.insert(.controlDevice) }
        return rights
    }

    /// The rights of a grant.
    ///
    /// The rights exclude making links, sockets, pipes and devices, which could outlive the plugin
    /// as traps.
    init(_ access: PathGrant.Access) {
        self =
            switch access {
            case .read: [.readFile, .readFolder]
            case .write:
                [
                    .readFile, .readFolder, .writeFile, .truncate, .makeFile, .makeFolder,
                    .removeFile, .removeFolder, .refer,
                ]
            case .execute: [.readFile, .readFolder, .execute]
            case .device: [.readFile, .readFolder, .writeFile, .truncate, .controlDevice]
            }
    }

    init(rawValue: UInt64) { self.rawValue = rawValue }
}
