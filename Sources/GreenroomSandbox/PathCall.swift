import Glibc

/// A system call with file names as arguments. Landlock decides about the call, and the host reads
/// the names to explain refusals. Without Landlock the host executes the call for the plugin.
struct PathCall: Sendable {
    /// The arguments that hold a file name.
    struct Name: Sendable {
        /// The argument with the folder's descriptor; nil if the call uses the current folder.
        var folder: Int?
        /// The argument with the name's address.
        var path: Int
    }

    /// The change that a call makes to a folder's entries.
    enum Change: Sendable {
        case makeFile, makeFolder, remove, removeFolder, rename, link
    }

    /// The call's name in Linux.
    var name: String
    /// The action on a file, after "denied: ".
    var verb: String
    /// The names that need a grant.
    var names: [Name]
    /// The argument with the flags of `open`; nil if the call changes a folder.
    var openFlags: Int?
    /// The change; nil if the call opens a file.
    var change: Change?
    /// The argument with the new entry's mode, or with flags; nil if none.
    var option: Int?

    /// Calls that open a file.
    static let opening = [
        PathCall(
            name: "openat", verb: "open", names: [Name(folder: 0, path: 1)], openFlags: 2,
            option: 3),
        PathCall(name: "open", verb: "open", names: [Name(path: 0)], openFlags: 1, option: 2),
    ]

    /// Calls that change a folder.
    static let changing = [
        PathCall(
            name: "creat", verb: "make", names: [Name(path: 0)], change: .makeFile, option: 1),
        PathCall(
            name: "mkdir", verb: "make the folder", names: [Name(path: 0)], change: .makeFolder,
            option: 1),
        PathCall(
            name: "mkdirat", verb: "make the folder", names: [Name(folder: 0, path: 1)],
            change: .makeFolder, option: 2),
        PathCall(name: "unlink", verb: "remove", names: [Name(path: 0)], change: .remove),
        PathCall(
            name: "unlinkat", verb: "remove", names: [Name(folder: 0, path: 1)],
            change: .remove, option: 2),
        PathCall(
            name: "rmdir", verb: "remove the folder", names: [Name(path: 0)],
            change: .removeFolder),
        PathCall(
            name: "rename", verb: "rename", names: [Name(path: 0), Name(path: 1)],
            change: .rename),
        PathCall(
            name: "renameat", verb: "rename",
            names: [Name(folder: 0, path: 1), Name(folder: 2, path: 3)], change: .rename),
        PathCall(
            name: "renameat2", verb: "rename",
            names: [Name(folder: 0, path: 1), Name(folder: 2, path: 3)], change: .rename,
            option: 4),
        PathCall(
            name: "link", verb: "link", names: [Name(path: 0), Name(path: 1)], change: .link),
        PathCall(
            name: "linkat", verb: "link",
            names: [Name(folder: 0, path: 1), Name(folder: 2, path: 3)], change: .link,
            option: 4),
    ]

    /// All calls, by name.
    static let byName = Dictionary(
        uniqueKeysWithValues: (opening + changing).map { ($0.name, $0) })
}
