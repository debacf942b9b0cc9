import GreenroomHost
import Testing

@Suite struct PluginVersionTests {
    @Test func `versions are ordered by number, and a pre-release comes before its release`() {
        let versions = [
            "0.9", "1.0.0-alpha", "1.0.0-alpha.2", "1.0.0-alpha.10", "1.0.0-beta", "1.0.0",
            "1.0.1", "1.9.0", "1.10.0", "2",
        ].map { PluginVersion($0) }
        for (index, version) in versions.enumerated() {
            for (other, later) in versions.enumerated() {
                #expect((version < later) == (index < other), "\(version) and \(later)")
            }
        }
    }

    @Test(arguments: [("1", "1.0.0"), ("1.2.0+build.7", "1.2"), ("", "0"), ("x", "0.0")])
    func `versions that differ only in zeros or in build data are equal`(pair: (String, String)) {
        #expect(PluginVersion(pair.0) == PluginVersion(pair.1))
    }
}
