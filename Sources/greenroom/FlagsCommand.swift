import ArgumentParser

/// `greenroom cflags`.
struct FlagsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cflags",
        abstract:
            "Print the C compiler's flags for a plugin: cc -shared -fPIC $(greenroom cflags) …",
        discussion:
            "The flags name the folder of the header greenroom/plugin.h. A plugin links with nothing."
    )

    func run() throws {
        let program = InstalledProgram.this
        let headers = program.checkout?.headers ?? program.headers
        // `#include <greenroom/plugin.h>` needs the folder above.
        let folder = headers.prefix(upTo: headers.lastIndex(of: "/") ?? headers.startIndex)
        Console.write("-I\(String(folder).quotedForShell)")
    }
}
