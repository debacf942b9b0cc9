import Foundation
import TestSupport
import Testing

@Suite struct PurityTests {
    @Test func `decisions have no threads, locks, clocks or I/O`() throws {
        let folder = Checkout.root + "/Sources/GreenroomSession/Decisions"
        let files = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(files.contains("SessionState.swift"))
        let values: Set<Substring> = [
            "GreenroomAudio", "GreenroomMedia", "GreenroomModel",
            "GreenroomPluginInterface", "GreenroomVideo",
        ]
        for file in files {
            let text = try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
            for line in text.split(separator: "\n") where !line.contains("//") {
                let words = line.split(separator: " ")
                guard let index = words.firstIndex(of: "import") else { continue }
                #expect(values.contains(words[index + 1]), "\(file): \(line)")
            }
            for word in ["Mutex", "Monitor", "Thread(", "Clock", "PluginInstance"] {
                #expect(!text.contains(word), "\(file): \(word)")
            }
        }
    }
}
