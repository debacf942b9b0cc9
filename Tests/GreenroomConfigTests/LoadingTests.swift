import Foundation
import GreenroomConfig
import GreenroomModel
import GreenroomSession
@testable import GreenroomSchema
import Testing

@Suite struct LoadingTests {
    @Test func `paths are relative to the file's folder, from any working directory`() throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "greenroom-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "my.session.yaml").path
        try "camera: { plugin: ./libA.so }\n".write(toFile: path, atomically: true, encoding: .utf8)
        let file = try SessionFile.load(path)
        let real = try #require(realpath(folder.path, nil))
        defer { free(real) }
        #expect(file.configuration.folder == String(cString: real))
        #expect(
            file.configuration.slots[.camera]?.plugin.plugin
                == "\(file.configuration.folder)/libA.so")
        #expect(file.configuration.name == "my")
        #expect(file.source.file == path)
    }

    @Test func `an unreadable file is reported with the system's reason`() {
        let missing = #expect(throws: UnreadableFileError.self) {
            _ = try SessionFile.load("/nowhere/demo.yaml")
        }
        #expect(missing?.description == "/nowhere/demo.yaml: No such file or directory")
        let folder = #expect(throws: UnreadableFileError.self) { _ = try SessionFile.load("/tmp") }
        #expect(folder?.description == "/tmp: Is a directory")
        #expect(throws: SessionFileError.self) { _ = try SessionFile.load("/dev/zero") }
    }
}
