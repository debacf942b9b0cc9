import Foundation
import GreenroomIsolation
import GreenroomLifecycle
import GreenroomMedia
import GreenroomModel
import GreenroomPluginInterface
import GreenroomSession
import TestSupport
import Testing

@testable import GreenroomHost

/// What the host knows of bundled plugins before it loads them.
@Suite struct BundledPluginTests {
    @Test(
        arguments: [
            ("/opt/bin/libIt.so", [], .host), ("/opt/lib/greenroom/libIt.so", [], .host),
            ("/opt/bin/libIt.so", .network, .host), ("/opt/bin/libIt.so", .process, .process),
            ("/home/ana/libIt.so", [], .process), ("/home/ana/libIt.so", .process, .process),
            ("libIt.so", .oneProcess, .process), ("/opt/bin/libIt.so", .oneProcess, .host),
        ] as [(String, PluginNeeds, Isolation)])
    func `a bundled plugin is isolated by default if its description says so, and others always`(
        library: String, needs: PluginNeeds, isolation: Isolation
    ) {
        let locator = PluginLocator(programs: "/opt/bin", pluginFolders: []) {
            path, _ throws(LoadError) in
            throw LoadError(code: .notFound, place: path, explanation: "")
        }
        let plugin = PluginDescriptor(
            kind: .videoSource, id: "it", name: "It", version: "1.0.0", summary: "", parameters: [],
            needs: needs)
        #expect(locator.standardIsolation(of: plugin, in: library) == isolation)
        #expect(locator.needs(of: plugin, in: library) == (library.hasPrefix("/opt/") ? needs : []))
    }

    @Test func `bundled plugins that decode foreign data need a process`() throws {
        let scanner = PluginScanner(program: Checkout.products + "/greenroom-runner")
        for (library, needs, memory) in [
            ("Media", [.process, .oneProcess], 0), ("WebRoom", [.process, .network], 1000),
            ("Browser", .ownSandbox, 0), ("ColorBars", [], 0),
        ] as [(String, PluginNeeds, UInt16)] {
            let found = try scanner.examine("\(Checkout.products)/lib\(library).so").descriptors
            #expect(!found.isEmpty)
            for plugin in found {
                #expect(plugin.needs == needs && plugin.memoryMegabytes == memory, "\(plugin.name)")
            }
        }
    }

    @Test(arguments: ["Media", "MediaAudio"])
    func `each plugin of a library whose dependency is missing is refused with the fix`(
        name: String
    ) throws {
        let folder = try TemporaryFolder()
        #expect(FileManager.default.createFile(atPath: folder("libMedia.so"), contents: nil))
        let locator = PluginLocator(programs: folder.path, pluginFolders: []) {
            path, _ throws(LoadError) in
            throw LoadError(code: .missingLibrary, place: path, explanation: "apt install it")
        }
        let error = try #require(throws: LoadError.self) {
            try locator.find(name, kind: nil, relativeTo: "/")
        }
        #expect(error.code == .missingLibrary)
        #expect(error.explanation == "apt install it")
        let other = try #require(throws: LoadError.self) {
            try locator.find("Tone", kind: nil, relativeTo: "/")
        }
        #expect(other.code == .noSuchPlugin)
    }

    @Test(
        arguments: [
            (
                "libavcodec.so.59", ["libavformat.so.59", "libavcodec.so.59", "libm.so.6"],
                "apt install libavcodec59 libavformat59"
            ),
            ("libpng16.so.16", [], "apt install libpng16-16"),
            ("libgobject-2.0.so.0", ["libglib-2.0.so.0"], "apt install libglib2.0-0"),
            ("libmine.so.1", ["libavcodec.so.59"], nil),
            ("libavcodec.so", [], nil), ("", [], nil),
        ] as [(String, [String], String?)])
    func `the fix for a missing library installs all packages of a plugin in one command`(
        missing: String, libraries: [String], command: String?
    ) {
        #expect(DebianPackage.installation(of: missing, among: libraries) == command)
    }

    @Test(arguments: [
        ("ladspa-amp", ["/h/other.so", "/h/zz.so", "/l/amp_1181.so", "/l/am_pitch.so", "/l/b.so"]),
        ("ladspa.B", ["/h/other.so", "/h/zz.so", "/l/b.so", "/l/am_pitch.so", "/l/amp_1181.so"]),
        (
            "ladspa-other-4",
            ["/h/other.so", "/h/zz.so", "/l/am_pitch.so", "/l/amp_1181.so", "/l/b.so"]
        ),
    ])
    func `files with a name like the effect's are scanned first in each folder`(
        effect: String, order: [String]
    ) {
        #expect(
            EffectInterface.ladspa.nearestFirst(
                to: effect,
                ["/h/other.so", "/h/zz.so", "/l/am_pitch.so", "/l/amp_1181.so", "/l/b.so"]) == order
        )
    }

    /// A bundled plugin that links with another library needs an entry in the table of packages.
    @Test func `the table of packages has every library of the bundled plugins`() throws {
        let libraries = try FileManager.default
            .contentsOfDirectory(atPath: Checkout.products).filter { $0.hasSuffix(".so") }
        let own = Set(libraries)
        #expect(own.contains("libRecorder.so"))
        var needed: Set<String> = []
        for library in libraries {
            needed.formUnion(ELFLibrary(of: "\(Checkout.products)/\(library)")?.needed ?? [])
        }
        let system = ["libc.so", "libm.so", "libgcc_s.so", "libstdc++.so", "ld-linux"]
        let swift = ["libswift", "lib_", "libFoundation", "libdispatch", "libBlocksRuntime"]
        let foreign = needed.filter { name in
            !own.contains(name) && !(system + swift).contains { name.hasPrefix($0) }
        }
        #expect(foreign.contains { $0.hasPrefix("libavcodec.so.") })
        for name in foreign.sorted() {
            let package = try #require(DebianPackage.name(of: name), "no package of \(name)")
            let owner = try ChildProcess.run("/usr/bin/dpkg-query", ["-S", "*/\(name)"])
            #expect(
                owner.text.split(separator: "\n").contains { $0.hasPrefix("\(package):") },
                "\(owner)")
        }
    }

    @Test(arguments: ["libBot.so", "Bot"])
    func `all parts of an agent have one process, with the paths and grants of each`(
        name: String
    ) throws {
        let folder = try TemporaryFolder()
        try folder.write("voice.wav", "")
        try folder.write("libBot.so", "")
        let voice = Parameter(
            name: "voice", title: "Voice", type: .path, unit: nil, defaultValue: .string(""),
            bounds: nil, choices: [], isLive: false)
        let library = LibraryDescription(
            path: folder("libBot.so"), minorVersion: 3,
            descriptors: [(PluginKind.output, [voice]), (.virtualMic, [])].map { kind, settings in
                PluginDescriptor(
                    kind: kind, id: "bot.\(kind.facts.word)", name: "Bot", version: "1.0.0",
                    summary: "", parameters: settings, needs: .oneProcess)
            })
        let locator = PluginLocator(programs: "/opt/bin", pluginFolders: [folder.path]) { _, _ in
            library
        }
        let plugin = name == "Bot" ? name : folder(name)
        var output = PluginConfiguration(plugin, settings: ["voice": .string("voice.wav")])
        output.sandbox = .partial
        var microphone = PluginConfiguration(plugin)
        microphone.grants = Grants(read: ["/opt/words"])
        var configuration = SessionConfiguration()
        configuration.folder = folder.path
        configuration.slots = [SessionSlot(.microphone, microphone)]
        configuration.outputs = [.plugin(output)]
        let plan = try SessionPlan(configuration, locator: locator)
        let isolation = try #require(plan.slots.first?.plugin.isolation)
        #expect(plan.outputs[0]?.isolation == isolation)
        #expect(Set(isolation.grants.read) == [folder("voice.wav"), "/opt/words"])
        #expect(isolation.sandbox == .partial)
    }
}
