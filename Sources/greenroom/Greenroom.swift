import ArgumentParser

/// The command line.
@main
struct Greenroom: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "greenroom", abstract: "Hosts cameras, microphones and shares as plugins.")
}
