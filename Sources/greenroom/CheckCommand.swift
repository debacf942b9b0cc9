import ArgumentParser
import GreenroomConfig
import GreenroomConversion
import GreenroomHost
import GreenroomMedia

/// `greenroom check FILE`.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Say everything that is wrong with a session file, without running it.",
        discussion: """
            Loads the plugins that the file names, to check their settings. Says what would run \
            if nothing is wrong.
            """)

    @OptionGroup var source: SessionFileOptions

    @Flag(help: "Print the result as one JSON object on standard output.")
    var json = false

    func run() throws {
        do {
            let plan = try SessionPlan(try source.read(), locator: .ofThisProcess)
            if json {
                print(result(faults: [], plan: plan).text)
            } else {
                print("\(source.file): fine")
                print(table(plan.rows.map { ["  \($0)", $1] }))
            }
        } catch let error as SessionFileError where json {
            print(result(faults: error.diagnostics.map(\.json), plan: nil).text)
            throw Failure(explained: .badFile)
        }
    }

    private func result(faults: [JSON], plan: SessionPlan?) -> JSON {
        .members([
            ("file", .string(source.file)),
            ("faults", .array(faults)),
            ("session", plan?.json),
        ])
    }
}

extension Diagnostic {
    fileprivate var json: JSON {
        switch place.origin {
        case .file(let line, let column):
            [
                "line": .integer(Int64(line)), "column": .integer(Int64(column)),
                "path": .string(place.path), "message": .string(message),
            ]
        case .argument(let argument):
            [
                "argument": .string(argument), "path": .string(place.path),
                "message": .string(message),
            ]
        }
    }
}

extension SessionPlan {
    /// The session's plugins by what they do in it, in the order of the file.
    private var roles: [(role: String, source: SourcePlan)] {
        var roles: [(String, SourcePlan?)] = [("camera", camera)]
        roles += preProcessors.enumerated().map { ("pre-processors[\($0)]", $1) }
        roles += [("microphone", microphone), ("share", share), ("share audio", shareAudio)]
        return roles.compactMap { role, source in source.map { (role, $0) } }
    }

    /// What will run, for people.
    fileprivate var rows: [(String, String)] {
        let length = durationNanoseconds.map { ", for \(Duration.nanoseconds($0).asWritten)" }
        var rows = [("session", "\(name), at most \(maximum)\(length ?? "")")]
        for (role, source) in roles {
            let settings = source.settings.map { "\($0.name): \($0.value)" }
            rows.append((role, "\(source.descriptor.name) { \(settings.joined(separator: ", ")) }"))
        }
        for output in outputs {
            switch output {
            case .record(let folder, let picture, _):
                rows.append(("record", "\(folder)\(picture.addition)"))
            case .loudspeaker(let device): rows.append(("loudspeaker", device))
            case .y4mStandardOutput(let track, let picture):
                rows.append(("y4m", "\(track.rawValue) on standard output\(picture.addition)"))
            }
        }
        return rows
    }

    /// What will run, for programs.
    fileprivate var json: JSON {
        .members([
            ("name", .string(name)),
            ("maximum", .string("\(maximum)")),
            ("duration", durationNanoseconds.map { .string(Duration.nanoseconds($0).asWritten) }),
            (
                "plugins",
                .array(
                    roles.map { role, source in
                        [
                            "role": .string(role), "plugin": .string(source.descriptor.id),
                            "library": .string(source.library.path),
                            "settings": .members(
                                source.settings.map { ($0.name, JSON($0.value)) }),
                            "on-failure": .string(source.onFailure.rawValue),
                        ]
                    })
            ),
        ])
    }
}

extension PictureWant {
    /// What differs from the track's own picture: `, 1280x720, 30 fps, crop`.
    fileprivate var addition: String {
        let parts = [
            size.map { "\($0)" }, rate.map { "\($0) fps" },
            size == nil || fit == .letterbox ? nil : fit.rawValue,
        ]
        return parts.compactMap { $0 }.map { ", \($0)" }.joined()
    }
}

extension JSON {
    /// A setting's value.
    init(_ value: ParameterValue) {
        self =
            switch value {
            case .boolean(let value): .boolean(value)
            case .integer(let value): .integer(value)
            case .number(let value): .number(value)
            case .string(let value): .string(value)
            }
    }
}
