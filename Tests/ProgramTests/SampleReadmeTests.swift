import Foundation
import SessionTestSupport
import TestSupport
import Testing

/// Tests that the commands in the samples' READMEs work as written, and make the recordings that
/// they promise.
@Suite(.ownThreads) struct SampleReadmeTests {
    private static let all = Result {
        try FileManager.default.contentsOfDirectory(atPath: SampleTests.folder).filter {
            FileManager.default.fileExists(atPath: "\(SampleTests.folder)/\($0)/README.md")
        }.sorted()
    }

    /// By day those that build nothing of Greenroom, with the compilers that are there.
    static func samples() throws -> [String] {
        // `Tests/Python/run.sh` runs those in Python, in an environment with their packages.
        try Nightly.list(all.get().filter { $0 != "python" }) { sample in
            switch sample {
            case "EmbeddedSession", "ThirdPartyBot", "ThirdPartyCamera", "VendorStyle": false
            case "rust-camera": try has("rustc")
            default: true
            }
        }
    }

    static func has(_ program: String) throws -> Bool {
        try ChildProcess.run("sh", ["-c", "command -v \(program)"]).exit == .code(0)
    }

    /// The indented blocks of a page.
    static func blocks(of page: Chapter) -> [String] {
        var blocks: [[Substring]] = []
        var isInside = false
        for line in page.prose.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("    ") {
                if !isInside { blocks.append([]) }
                blocks[blocks.count - 1].append(line.dropFirst(4))
            }
            isInside = line.hasPrefix("    ")
        }
        return blocks.map { $0.joined(separator: "\n") }.filter { !$0.hasPrefix("camera:") }
    }

    @Test func `every sample with a separate folder has a README with commands`() throws {
        let samples = try Self.all.get()
        #expect(samples.count >= 6)
        for sample in samples {
            let page = try Chapter(path: "\(SampleTests.folder)/\(sample)/README.md")
            #expect(Self.blocks(of: page).contains { $0.contains("greenroom") }, "\(sample)")
        }
    }

    /// A folder like a checkout with a release build, and with the sample. Its session is small
    /// and short.
    static func folder(with sample: String) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let files = FileManager.default
        for name in [".build", "Samples", "Sources/GreenroomABI"] {
            try files.createDirectory(atPath: folder(name), withIntermediateDirectories: true)
        }
        // Greenroom is built for this one.
        if sample != "EmbeddedSession" {
            try files.createSymbolicLink(
                atPath: folder(".build/release"), withDestinationPath: Checkout.products)
        }
        if Nightly.isOn {
            try files.removeItem(atPath: folder("Sources"))
            for part in ["Package.swift", "Package.resolved", "Sources", "Plugins", "Tests"]
            where files.fileExists(atPath: "\(Checkout.root)/\(part)") {
                try files.copyItem(atPath: "\(Checkout.root)/\(part)", toPath: folder(part))
            }
        } else {
            try files.createSymbolicLink(
                atPath: folder("Sources/GreenroomABI/include"),
                withDestinationPath: Checkout.include)
        }
        // As an installation has it.
        let template = try readFile("\(Checkout.root)/Packaging/greenroom.pc.in")
        try folder.write(
            "greenroom.pc",
            String(decoding: template, as: UTF8.self)
                .replacing("${prefix}/include", with: Checkout.include)
                .replacing("@prefix@", with: folder.path).replacing("@version@", with: "1"))
        let copy = folder("Samples/" + sample)
        try files.copyItem(atPath: "\(SampleTests.folder)/\(sample)", toPath: copy)
        for made in [".build", "recording"] where files.fileExists(atPath: "\(copy)/\(made)") {
            try files.removeItem(atPath: "\(copy)/\(made)")
        }
        let session = "\(copy)/session.yaml"
        if files.fileExists(atPath: session) {
            // `swift run` of the broadcast takes some time although the program is built.
            let duration = Nightly.isOn && sample == "ThirdPartyBroadcast" ? "60s" : "5s"
            let text = String(decoding: try readFile(session), as: UTF8.self)
                .replacing(#/maximum: .*/#, with: "maximum: 320x180@30")
                .replacing(#/duration: .*/#, with: "duration: \(duration)")
            try folder.write("Samples/\(sample)/session.yaml", text)
        }
        return folder
    }
}
