internal import CLinux
internal import Glibc
package import SystemPackage

/// Rules of Landlock, for a thread and the processes that it starts.
package struct LandlockRuleset: ~Copyable {
    /// The version of the kernel's Landlock interface; 0 if the kernel has no Landlock.
    package static var version: Int { max(0, Int(greenroom_landlock_version())) }

    private let descriptor: Int32
    private let handled: LandlockRights

    /// Makes rules that deny everything that they handle.
    ///
    /// - Parameters:
    ///   - handled: The rights that the kernel denies without a rule, of the kernel's version.
    ///   - scopes: The restrictions other than files.
    package init(handling handled: LandlockRights, _ scopes: LandlockScopes) throws(Errno) {
        descriptor = greenroom_landlock_create(
            greenroom_landlock_ruleset(
                handled_access_fs: handled.rawValue, handled_access_net: scopes.ports,
                scoped: scopes.scopes))
        self.handled = handled
        guard descriptor >= 0 else { throw .last }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Allows rights below a folder, or of a file.
    package func allow(_ path: String, _ rights: LandlockRights) throws(Errno) {
        let place = open(path, Int32(greenroom_open_path) | O_CLOEXEC)
        guard place >= 0 else { throw .last }
        defer { close(place) }
        let isFolder = try FileDescriptor(rawValue: place).stat().type == .directory
        try allow(place, isFolder ? rights : rights.intersection(.ofFiles))
    }

    /// Allows rights below an open folder.
    package func allow(_ place: Int32, _ rights: LandlockRights) throws(Errno) {
        let granted = rights.intersection(handled).rawValue
        guard greenroom_landlock_allow(descriptor, place, granted) == 0 else { throw .last }
    }

    /// Restricts the calling thread.
    package func restrict() throws(Errno) {
        guard greenroom_landlock_restrict(descriptor) == 0 else { throw .last }
    }
}
