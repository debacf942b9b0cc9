import GreenroomSystem

extension LandlockRights {
    /// The rights of a grant.
    ///
    /// The rights exclude making links, sockets, pipes and devices, because these could remain as traps after
    /// the plugin has ended.
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
