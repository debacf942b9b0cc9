import Foundation
import Glibc
import PluginProcess
import Synchronization
import TestSupport
import Testing

/// The sandbox of Chromium where its own can't be used, tested with a shell.
@Suite struct FileConfinementTests {
    private final class Lines: Sendable {
        let text = Mutex("")
    }

    @Test(.enabled(if: FileConfinement.isPossible))
    func `a confined command accesses only its granted files`() throws {
        let folder = try TemporaryFolder()
        for name in ["page", "secrets", "scratch"] { try #require(mkdir(folder(name), 0o700) == 0) }
        let page = try folder.write("page/page.html", "page\n")
        let secret = try folder.write("secrets/token", "secret\n")
        let script = """
            cat '\(page)'; cat '\(secret)'; ls '\(folder("secrets"))'; echo new > '\(folder("scratch/new"))'
            cat '\(folder("scratch/new"))'; echo bad > '\(folder("page/new"))'
            /bin/sh -c "cat '\(secret)'"; rm '\(page)'; echo end
            """
        let errors = Lines()
        let process = try CommandProcess(
            ["/bin/sh", "-c", script], pipes: [.output],
            confinement: FileConfinement(
                readable: ["/usr", "/bin", "/lib", "/lib64", "/etc/ld.so.cache", folder("page")],
                writable: [folder("scratch"), "/dev/null"], allowsNetwork: false)
        ) { line in errors.text.withLock { $0 += line + "\\n" } }
        var output = ""
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            var query = pollfd(fd: process.pipe, events: Int16(POLLIN), revents: 0)
            poll(&query, 1, -1)
            let count = read(process.pipe, &buffer, buffer.count)
            guard count > 0 else { break }
            output += String(decoding: buffer[..<count], as: UTF8.self)
        }
        _ = process.end(within: CommandProcess.EndLimits(close: 10_000, terminate: 0))
        #expect(output == "page\nnew\nend\n", "\(errors.text.withLock { $0 })")
        #expect(try String(contentsOfFile: secret, encoding: .utf8) == "secret\n")
        #expect(access(page, F_OK) == 0)
    }
}
