import Foundation
import SessionTestSupport
import TestSupport
import Testing

/// The listings of the vendors' documents, over the layer of `Samples/VendorStyle`: their code as it is
/// printed makes the right picture and sound, stops, and starts again. By day `SampleTests` builds Zoom's:
/// each library takes a compiler.
@Suite(.ownThreads) struct VendorStyleTests {
    @Test
    func `each vendor's listing compiles as printed except for the recorded changes`() throws {
        let changes = try VendorStyle.changes()
        let expected = try readFile(VendorStyle.folder + "/Listings/changes.diff")
        #expect(changes == String(decoding: expected, as: UTF8.self))
        let names = changes.split(separator: "\n").filter { !"+-".contains($0.first ?? " ") }
        #expect(try names.map(String.init) == VendorStyle.listings())
    }

    @Test func `the README counts the listings and the lines that changed`() throws {
        let readme = try Chapter(path: VendorStyle.folder + "/README.md").text
        let rows = readme.matches(of: #/\n\| (\w+).*, \*.* \| (\d+) \| (\d+) \| (\d+) \|/#)
        #expect(rows.count == 4)
        for row in rows {
            let counts = try VendorStyle.counts(of: row.1.lowercased() + "-")
            #expect([row.2, row.3, row.4].map { Int($0) } == counts, "\(row.1)")
        }
    }

    // MARK: greenroom new

    @Test func `the option --style is accepted only for a camera in Swift`() throws {
        let folder = try TemporaryFolder()
        for arguments in [["share", "a"], ["camera", "a", "--language", "c"]] {
            let run = try NewPlugin.begin(arguments + ["--style", "zoom"], in: folder.path)
            #expect(run.exit == .code(64), "\(run)")
            #expect(run.standardError.contains("greenroom new camera a --style zoom"), "\(run)")
        }
        #expect(!folder.has("a"))
    }
}
