import Glibc
import GreenroomPluginInterface

extension Catalogue {
    static let dependencies = Check(
        ofLibrary: "load.dependencies", "its shared libraries are found and expected",
        proving: """
            Every shared library that it needs must be found. None may be named by a path, and its \
            rpath may not name the current folder or a world-writable one, where another library \
            of that name could be planted. Warns about GUI toolkits, runtimes of other languages \
            and sanitizer or debug libraries: they bring threads, settings and much memory into \
            the process.
            """
    ) { library throws(Verdict) in
        do throws(LoadError) {
            _ = try library.load()
        } catch {
            if error.code == .missingLibrary { throw .failed(error.explanation) }
        }
        let file = try library.readFile()
        if let path = file.needed.first(where: { $0.contains("/") }) {
            throw .failed(
                "it needs \(path) by that path, and will not be found by another one. Give that "
                    + "library a soname (-Wl,-soname), and link with -l.")
        }
        for folder in file.searchFolders {
            if let fault = Folder(folder).fault {
                throw .failed(
                    "it looks for its libraries in \"\(folder)\", which is \(fault). Leave that out "
                        + "of its -rpath; $ORIGIN is the library's own folder.")
            }
        }
        let remarks =
            file.needed.compactMap { name in
                Surprise.of(name).map { "it needs \(name), \($0)." }
            }
            + file.searchFolders.filter { Folder($0).isPrivate }.map {
                "it looks for its libraries in \($0), which others do not have."
            }
        guard let first = remarks.first else { return .passed() }
        return .warning(first, Array(remarks.dropFirst()))
    }
}

/// A folder that libraries are looked for in.
private struct Folder {
    let path: String

    init(_ path: String) { self.path = path }

    /// Why nobody should look there.
    var fault: String? {
        if path.isEmpty { return "the current folder" }
        if path.hasPrefix("$ORIGIN") || path.hasPrefix("${ORIGIN}") { return nil }
        if !path.hasPrefix("/") { return "below the current folder" }
        return isForEverybody ? "a folder that everybody may write to" : nil
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

/// What is not expected of a media plugin.
private enum Surprise {
    private static let kinds: [(beginnings: [String], what: String)] = [
        (
            ["libgtk-", "libgdk-", "libQt5", "libQt6", "libwx_", "libfltk", "libSDL"],
            "a toolkit for windows, which a session has none of"
        ),
        (
            ["libpython", "libjvm", "libruby", "libnode", "libmono", "liblua", "libperl"],
            "the runtime of another language, whose threads and signals become the session's"
        ),
        (
            ["libasan", "libtsan", "libubsan", "liblsan", "libclang_rt", "libefence", "libgcov"],
            "a part of a build for debugging: release it without"
        ),
    ]

    static func of(_ library: String) -> String? {
        kinds.first { $0.beginnings.contains { library.hasPrefix($0) } }?.what
    }
}
