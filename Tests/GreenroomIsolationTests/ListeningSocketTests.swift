import CLinux
import Glibc
@testable import GreenroomRuntime
import GreenroomPluginInterface
import Synchronization
import TestSupport
import Testing

@testable import GreenroomIsolation

/// The path of a broadcast's socket: access, conflicts and removal.
@Suite(.serialized, .ownThreads) struct ListeningSocketTests {
    private let folder: TemporaryFolder
    private var path: String { folder("share.sock") }

    init() throws { folder = try TemporaryFolder() }

    private func status(_ path: String) -> stat? {
        var status = stat()
        return lstat(path, &status) == 0 ? status : nil
    }

    /// The refusal of a path.
    private func refusal(of path: String) -> LoadError? {
        do throws(LoadError) {
            _ = try ListeningSocket(at: path)
            return nil
        } catch {
            return error
        }
    }

    /// A socket left by a killed host.
    private func leaveSocket(at path: String) {
        close(greenroom_listen(path, greenroom_messages, 1))
        #expect(access(path, F_OK) == 0)
    }

    @Test func `changing a socket's mode does not follow a link`() throws {
        let file = try folder.write("file", "")
        chmod(file, 0o644)
        #expect(symlink(file, path) == 0)
        #expect(greenroom_make_socket_private(path) < 0)
        #expect(greenroom_make_socket_private(file) == -ENOTSOCK)
        #expect(status(file)?.st_mode == S_IFREG | 0o644)
        unlink(path)
        leaveSocket(at: path)
        #expect(status(path)?.st_mode == S_IFSOCK | 0o600)
        // A umask may take away the owner's rights.
        chmod(path, 0o200)
        #expect(greenroom_make_socket_private(path) == 0)
        #expect(status(path)?.st_mode == S_IFSOCK | 0o600)
    }

    private func isListenedAt(_ path: String) -> Bool {
        let descriptor = greenroom_connect(path, greenroom_messages)
        if descriptor >= 0 { close(descriptor) }
        return descriptor >= 0
    }

    @Test(arguments: [0o000, 0o022, 0o077] as [mode_t])
    func `only its user can connect to a listening socket, whatever the umask`(mask: mode_t) throws
    {
        let before = umask(mask)
        defer { umask(before) }
        let socket = try ListeningSocket(at: path)
        let mode = status(socket.path)?.st_mode
        #expect(mode.map { $0 & 0o7777 } == 0o600)
        #expect(mode.map { $0 & S_IFMT } == S_IFSOCK)
    }

    @Test func `a path has at most 107 bytes`() throws {
        let room = 107 - folder("").utf8.count
        let longest = folder(String(repeating: "s", count: room))
        #expect(longest.utf8.count == 107)
        do {
            let socket = try ListeningSocket(at: longest)
            #expect(isListenedAt(socket.path))
        }
        let error = try #require(refusal(of: longest + "s"))
        #expect(error.code == .noSocket && error.explanation.contains("107"))
        #expect(error.explanation.contains("108"))
        #expect(refusal(of: "")?.code == .noSocket)
    }

    @Test func `a socket without a listener is replaced`() throws {
        leaveSocket(at: path)
        let socket = try ListeningSocket(at: path)
        #expect(isListenedAt(socket.path))
        #expect(status(path).map { $0.st_mode & 0o7777 } == 0o600)
    }

    @Test func `a socket with a listener is kept`() throws {
        let first = try ListeningSocket(at: path)
        let error = try #require(refusal(of: path))
        #expect(error.place == path && error.explanation.contains("listener"))
        #expect(isListenedAt(first.path))
    }

    @Test func `a file that is not a socket is kept`() throws {
        try folder.write("share.sock", "mine")
        #expect(try #require(refusal(of: path)).explanation.contains("not a socket"))
        #expect(try readFile(path) == Array("mine".utf8))

        let link = folder("link")
        symlink(folder("elsewhere"), link)
        #expect(try #require(refusal(of: link)).explanation.contains("not a socket"))
        #expect(!folder.has("elsewhere"))
    }

    @Test func `a missing folder is named as the reason`() throws {
        let error = try #require(refusal(of: folder("nowhere/share.sock")))
        #expect(error.explanation.contains("folder"))
    }

    @Test func `the path is removed with the socket`() throws {
        do { _ = try ListeningSocket(at: path) }
        #expect(!folder.has("share.sock"))
    }

    @Test func `a file that has replaced the socket is kept`() throws {
        do {
            let socket = try ListeningSocket(at: path)
            unlink(socket.path)
            try folder.write("share.sock", "another's")
        }
        #expect(folder.has("share.sock"))
    }

    @Test func `only one of several hosts that start together binds the path`() throws {
        leaveSocket(at: path)
        let path = path
        let attempts = Monitor(0)
        let winners = Atomic(0)
        let threads = (0..<8).map { number in
            HostThread(name: "host \(number)") {
                let socket = try? ListeningSocket(at: path)
                attempts.change { $0 += 1 }
                // The one that has it keeps it until all have tried.
                attempts.wait(until: nil) { $0 == 8 ? () : nil }
                guard let socket else { return }
                let descriptor = greenroom_connect(socket.path, greenroom_messages)
                guard descriptor >= 0 else { return }
                close(descriptor)
                winners.add(1, ordering: .relaxed)
            }
        }
        for thread in threads { thread.join() }
        #expect(winners.load(ordering: .relaxed) == 1)
        #expect(!folder.has("share.sock"))
    }
}
