import Glibc
import GreenroomPluginInterface

extension Catalogue {
    static let dependencies = Check(
        ofLibrary: "load.dependencies", "its shared libraries are found and expected",
        rule: "Every needed library is found by name in a safe place.",
        why: """
            A path, or the current or a world-writable folder in the rpath, lets others \
            plant a library. GUI toolkits, other runtimes, sanitizers and debug libraries \
            are a warning.
            """,
        measured: "The dynamic section, and the loader's choice of libraries.",
        fix: "Ship the library beside the plugin, with $ORIGIN in the rpath."
    ) { library throws(Verdict) in
        do throws(LoadError) {
            _ = try library.load()
        } catch {
            if error.code == .missingLibrary { throw .failed(error.explanation) }
        }
        let file = try library.readFile()
        if let path = file.needed.first(where: { $0.contains("/") }) {
            throw .failed(
                "needs \(path) by its path, and fails where the library is elsewhere. Give that "
                    + "library a soname (-Wl,-soname), and link with -l.")
        }
        for folder in file.searchFolders {
            if let fault = Folder(folder).fault {
                throw .failed(
                    "its rpath has \"\(folder)\", which is \(fault). Remove that from "
                        + "-rpath; $ORIGIN is the library's own folder.")
            }
        }
        let remarks =
            file.needed.compactMap { name in
                Surprise.of(name).map { "needs \(name), \($0)." }
            }
            + file.searchFolders.filter { Folder($0).isPrivate }.map {
                "its rpath has \($0), which other machines do not have."
            }
        guard let first = remarks.first else { return .passed() }
        return .warning(first, Array(remarks.dropFirst()))
    }
}

/// A folder in the library search path.
private struct Folder {
    let path: String

    init(_ path: String) { self.path = path }

    /// The reason that libraries must not be loaded from the folder; nil if they may.
    var fault: String? {
        if path.isEmpty { return "the current folder" }
        if path.hasPrefix("$ORIGIN") || path.hasPrefix("${ORIGIN}") { return nil }
        if !path.hasPrefix("/") { return "relative to the current folder" }
        return isForEverybody ? "a world-writable folder" : nil
    }

    private var isForEverybody: Bool {
        if ["/tmp", "/var/tmp", "/dev/shm"].contains(where: {
            path == $0 || path.hasPrefix("\($0)/")
        }) {
            return true
        }
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IWOTH != 0
    }

    var isPrivate: Bool { path.hasPrefix("/home/") || path.hasPrefix("/root/") }
}

/// Dependencies unusual for a media plugin.
private enum Surprise {
    private static let kinds: [(beginnings: [String], what: String)] = [
        (
            ["libgtk-", "libgdk-", "libQt5", "libQt6", "libwx_", "libfltk", "libSDL"],
            "a GUI toolkit, and a session has no windows"
        ),
        (
            ["libpython", "libjvm", "libruby", "libnode", "libmono", "liblua", "libperl"],
            "the runtime of another language, whose threads and signals become the session's"
        ),
        (
            ["libasan", "libtsan", "libubsan", "liblsan", "libclang_rt", "libefence", "libgcov"],
            "a sanitizer or debug library: release without it"
        ),
    ]

    static func of(_ library: String) -> String? {
        kinds.first { $0.beginnings.contains { library.hasPrefix($0) } }?.what
    }
}
