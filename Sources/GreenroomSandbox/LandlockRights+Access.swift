import GreenroomSystem

extension LandlockRights {
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
}
