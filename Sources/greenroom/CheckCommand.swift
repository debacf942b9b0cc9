import ArgumentParser
import GreenroomConfig
import GreenroomHost
import GreenroomMedia

/// `greenroom check FILE`.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Say everything that is wrong with a session file, without running it.",
        discussion: "Loads the plugins that the file names, to check their settings.")

    @OptionGroup var source: SessionFileOptions

    func run() throws {
        let file = try source.read()
        let plan: SessionPlan
        do {
            plan = try SessionPlan(file, locator: .ofThisProcess)
        } catch {
            throw Failure(.badFile, "\(error)")
        }
        print("\(source.file): fine")
        print(table(plan.rows.map { ["  \($0)", $1] }))
    }
}

extension SessionPlan {
    /// What will run, for people.
    fileprivate var rows: [(String, String)] {
        var rows = [("session", "\(name), at most \(maximum)")]
        if let durationNanoseconds {
            rows[0].1 += ", for \((Double(durationNanoseconds) / 1e9).formatted) s"
        }
        func add(_ role: String, _ source: SourcePlan?) {
            guard let source else { return }
            let settings = source.settings.map { "\($0.name): \($0.value)" }
            rows.append(
                (role, "\(source.descriptor.name) { \(settings.joined(separator: ", ")) }"))
        }
        add("camera", camera)
        for (index, filter) in preProcessors.enumerated() { add("  filter \(index)", filter) }
        add("microphone", microphone)
        add("share", share)
        add("  its sound", shareAudio)
        for output in outputs {
            switch output {
            case .record(let folder, _, _): rows.append(("recording", folder))
            case .loudspeaker(let device): rows.append(("loudspeaker", device))
            case .y4mStandardOutput(let track, _):
                rows.append(("y4m", "\(track.rawValue) on standard output"))
            }
        }
        return rows
    }
}

extension Double {
    fileprivate var formatted: String {
        Int(exactly: self).map { "\($0)" } ?? "\(self)"
    }
}
