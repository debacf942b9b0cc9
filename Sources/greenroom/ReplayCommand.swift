import ArgumentParser
import GreenroomDecisions
import GreenroomMedia
import GreenroomSystem
import SystemPackage

/// `greenroom replay FILE`.
struct ReplayCommand: ParsableCommand {
    /// The largest journal, in bytes.
    private static let limit = 64 << 20

    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Run the decisions of a journal again, and compare their effects.",
        discussion: """
            The journal comes from greenroom run --journal FILE. No plugin runs. The exit code is \
            65 if an effect differs.
            """)

    @Argument(help: "The journal file that greenroom run --journal has written.")
    var file: String

    func run() throws {
        let bytes: [UInt8]
        do throws(Errno) {
            bytes = try FileDescriptor.contents(of: file, limit: Self.limit + 1)
        } catch {
            throw ExitError(.badFile, "\(file): \(error)".printable)
        }
        guard bytes.count <= Self.limit else {
            throw ExitError(
                .badFile,
                "\(file): the journal is larger than \(Self.limit >> 20) MiB. Cut it after a line."
                    .printable)
        }
        do throws(JournalError) {
            let count = try SessionState.replay(String(decoding: bytes, as: UTF8.self))
            Console.write("\(count) events: every effect is the same")
        } catch {
            throw ExitError(.badFile, "\(file):\(error.line): \(error)".printable)
        }
    }
}
