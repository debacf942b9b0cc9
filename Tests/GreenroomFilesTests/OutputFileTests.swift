import GreenroomSystem
import Glibc
import GreenroomFiles
import GreenroomMedia
import TestSupport
import Testing

/// Output files never follow or reuse files that another user created.
@Suite struct OutputFileTests {
    private static let format = Y4MFormat(
        size: FrameSize(width: 2, height: 2), rate: FrameRate(30))

    /// What stands in the place of a file, and what is said of it.
    enum Obstacle: String, CaseIterable {
        case link = "is a symbolic link, and links are not followed"
        case linkToNowhere = "is a symbolic link, and links are not followed "
        case pipe = "is a named pipe, not a regular file"
        case folder = "is a folder, not a regular file"
        case otherName = "has another name (a hard link), whose content would be lost"

        var rule: String { rawValue.last == " " ? String(rawValue.dropLast()) : rawValue }
    }

    private func put(_ obstacle: Obstacle, at path: String, in folder: TemporaryFolder) throws {
        let other = folder("other")
        switch obstacle {
        case .link, .otherName:
            try folder.write("other", "precious")
            #expect((obstacle == .link ? symlink(other, path) : link(other, path)) == 0)
        case .linkToNowhere: #expect(symlink(other, path) == 0)
        case .pipe: #expect(mkfifo(path, 0o666) == 0)
        case .folder: #expect(mkdir(path, 0o777) == 0)
        }
    }

    @Test(arguments: Obstacle.allCases)
    func `a link, a pipe, a folder and a hard link are refused as output files at once`(
        obstacle: Obstacle
    ) throws {
        let folder = try TemporaryFolder()
        let path = folder("a.y4m")
        try put(obstacle, at: path, in: folder)
        let film = #expect(throws: FileError.self) {
            _ = try Y4MWriter(path: path, format: Self.format)
        }
        let sound = #expect(throws: FileError.self) {
            _ = try WAVWriter(path: path, sampleRate: 48_000, channels: 2)
        }
        for error in [film, sound] {
            #expect(error?.code == .cannotOpen && error?.rule == obstacle.rule, "\(error as Any)")
        }
        switch obstacle {
        case .link, .otherName: #expect(try readFile(folder("other")) == Array("precious".utf8))
        default: #expect(!folder.has("other"))
        }
    }

    @Test func `a device is refused`() throws {
        let error = #expect(throws: FileError.self) {
            _ = try Y4MWriter(path: "/dev/null", format: Self.format)
        }
        #expect(error?.code == .cannotOpen)
    }

    @Test func `a new file is private to its user, and a replaced one keeps its mode`() throws {
        let folder = try TemporaryFolder()
        let path = folder("a.y4m")
        let old = umask(0)
        defer { umask(old) }
        try Y4MWriter(path: path, format: Self.format).close()
        #expect(try mode(of: path) == 0o600)
        #expect(chmod(path, 0o640) == 0)
        try Y4MWriter(path: path, format: Self.format).close()
        #expect(try mode(of: path) == 0o640)
        #expect(try Y4MReader(path: path).frameCount == 0)
    }

    @Test func `an existing file is kept unless the caller asks to replace it`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("a.y4m", "something")
        let error = #expect(throws: FileError.self) {
            _ = try Y4MWriter(path: path, format: Self.format, replaces: false)
        }
        #expect(error?.rule == "already exists")
        #expect(try readFile(path) == Array("something".utf8))
    }

    @Test func `a file that is being written is not replaced`() throws {
        let folder = try TemporaryFolder()
        let path = folder("a.wav")
        var writer = try WAVWriter(path: path, sampleRate: 48_000, channels: 1)
        try writer.write([1, 2, 3].span)
        let before = try readFile(path)
        let error = #expect(throws: FileError.self) {
            _ = try WAVWriter(path: path, sampleRate: 8000, channels: 2)
        }
        #expect(error?.rule == "is being written by another session", "\(error as Any)")
        #expect(try readFile(path) == before)
        try writer.close()
        try WAVWriter(path: path, sampleRate: 8000, channels: 2).close()
    }

    private func mode(of path: String) throws -> mode_t {
        var about = stat()
        #expect(lstat(path, &about) == 0)
        return about.st_mode & 0o777
    }
}
