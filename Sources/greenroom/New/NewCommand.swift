import ArgumentParser
import Glibc
import GreenroomPluginInterface
import GreenroomSystem
import SystemPackage

/// `greenroom new KIND NAME`.
struct NewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new",
        abstract: "Create a plugin in a separate folder.",
        discussion: """
            The folder has one source file that works as it is, a build file, a session file to \
            try the plugin with, and a README. Kinds are named after the roles in a session file. You \
            can also use the names that `greenroom plugins` prints, with hyphens: video-source.

            A plugin in Swift builds against a checkout of Greenroom, or against a copy of the SDK if \
            the program is installed. A plugin in C or C++ needs only headers, which the command \
            copies into the folder. A plugin in Python needs the package greenroom: pip install \
            greenroom-*.whl.
            """)

    @Argument(help: "The kind of the plugin.")
    var kind: PluginTemplate

    @Argument(
        help: "The name of plugin and folder: letters, digits and '-', beginning with a letter.")
    var name: String

    @Option(help: "The programming language.")
    var language = NewPlugin.Language.swift

    @Option(help: "The vendor whose names the Swift code uses: for code that you already have.")
    var style: NewPlugin.Style?

    @Option(
        help: ArgumentHelp(
            "The checkout of Greenroom; default: the checkout that built this program.",
            valueName: "path"),
        completion: .directory)
    var greenroom: String?

    func run() throws {
        let plugin = try NewPlugin(kind, language: language, name: name, style: style)
        let program = InstalledProgram.this
        let checkout = try checkout(of: program)
        let base: NewPackage.Base
        if language == .python {
            base = .python
        } else if language != .swift {
            base = .headers(try headers(plugin.headers, in: checkout, of: program))
        } else if style == nil, checkout == nil, let sdk = program.sdk {
            base = .sdk(try copies(of: sdk))
        } else {
            base = .package(try path(to: checkout, of: program))
        }
        let package = NewPackage(plugin: plugin, program: program, base: base)
        try PackageFile.write(package.files, into: name)
        Console.write(package.summary)
    }

    private func copies(of sdk: Checkout) throws(ExitError) -> [PackageFile] {
        do throws(Errno) {
            return try sdk.copies(in: NewPlugin.sdk)
        } catch {
            throw ExitError(.usage, "\(sdk.path): \(error): install Greenroom's SDK again")
        }
    }

    /// The checkout to use; nil if the program was installed elsewhere.
    private func checkout(of program: InstalledProgram) throws -> Checkout? {
        guard let greenroom else { return program.checkout }
        guard let checkout = Checkout(at: greenroom) else {
            throw ExitError(
                .usage,
                "--greenroom \(greenroom): a checkout of Greenroom has a Package.swift and "
                    + "Sources/GreenroomPlugin, and this has not; give the path of one")
        }
        return checkout
    }

    /// The path from the new folder to the package that it depends on.
    private func path(to checkout: Checkout?, of program: InstalledProgram) throws -> String {
        guard let checkout else {
            throw ExitError(
                .usage,
                "a plugin in Swift is built against a checkout of Greenroom, and \(program.path) "
                    + "is in none: name one with --greenroom PATH")
        }
        guard !["greenroom", checkout.identity].contains(name.lowercased()) else {
            throw ExitError(
                .usage,
                "the name \"\(name)\": SwiftPM identifies packages by the names of their folders, and "
                    + "\(checkout.path) has this one; choose another")
        }
        guard let here = resolvedPath(".") else {
            throw ExitError(
                .outputFailed, "cannot find this folder: \(Errno.last)")
        }
        return checkout.path(from: "\(here)/\(name)")
    }

    /// Copies of headers for the new folder.
    private func headers(
        _ names: [String], in checkout: Checkout?, of program: InstalledProgram
    ) throws -> [PackageFile] {
        try names.map { name in
            let path = "\(checkout?.headers ?? program.headers)/\(name)"
            do throws(Errno) {
                let text = String(decoding: try FileDescriptor.contents(of: path), as: UTF8.self)
                return PackageFile(path: "greenroom/\(name)", text: text)
            } catch {
                throw ExitError(
                    .usage,
                    "a plugin in \(language.title) needs greenroom/\(name): cannot read \(path) "
                        + "(\(error)). Name a checkout of Greenroom with --greenroom PATH")
            }
        }
    }
}
