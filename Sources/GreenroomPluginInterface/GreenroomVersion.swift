/// The version of Greenroom.
package enum GreenroomVersion {
    /// The version that `greenroom --version`, the report and `gr_host.version` show.
    ///
    /// Defined only here. A test compares it with the newest heading of CHANGELOG.md.
    package static let current = "0.1.0"
}
