/// Landlock's access rights for files, with the kernel's numbers.
package struct LandlockRights: OptionSet, Sendable {
    package let rawValue: UInt64

    package static let execute = LandlockRights(rawValue: 1 << 0)
    package static let writeFile = LandlockRights(rawValue: 1 << 1)
    package static let readFile = LandlockRights(rawValue: 1 << 2)
    package static let readFolder = LandlockRights(rawValue: 1 << 3)
    package static let removeFolder = LandlockRights(rawValue: 1 << 4)
    package static let removeFile = LandlockRights(rawValue: 1 << 5)
    package static let makeCharacterDevice = LandlockRights(rawValue: 1 << 6)
    package static let makeFolder = LandlockRights(rawValue: 1 << 7)
    package static let makeFile = LandlockRights(rawValue: 1 << 8)
    package static let makeSocket = LandlockRights(rawValue: 1 << 9)
    package static let makePipe = LandlockRights(rawValue: 1 << 10)
    package static let makeBlockDevice = LandlockRights(rawValue: 1 << 11)
    package static let makeLink = LandlockRights(rawValue: 1 << 12)
    /// Renaming and linking between folders.
    package static let refer = LandlockRights(rawValue: 1 << 13)
    package static let truncate = LandlockRights(rawValue: 1 << 14)
    package static let controlDevice = LandlockRights(rawValue: 1 << 15)

    /// Rights for files. The kernel accepts all other rights for folders only.
    package static let ofFiles: LandlockRights = [
        .execute, .writeFile, .readFile, .truncate, .controlDevice,
    ]

    /// All rights of a version of Landlock.
    package static func known(version: Int) -> LandlockRights {
        var rights = LandlockRights(rawValue: (1 << 13) - 1)
        if version >= 2 { rights.insert(.refer) }
        if version >= 3 { rights.insert(.truncate) }
        if version >= 5 { rights.insert(.controlDevice) }
        return rights
    }

    package init(rawValue: UInt64) { self.rawValue = rawValue }
}
