/// The version of Greenroom.
package enum GreenroomVersion {
    /// The version, as `greenroom --version`, the report and `gr_host.version` say it.
    ///
    /// This is the one place for it. A test compares it with the newest heading of CHANGELOG.md.
    package static let current = "0.1.0"
}
