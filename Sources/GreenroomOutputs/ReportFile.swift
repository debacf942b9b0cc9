/// `session.json` in a folder of recordings.
///
/// The session writes the report at the start, each second and at the end. Each time a complete
/// file replaces the previous one, so that readers never see a partial report.
package struct ReportFile: Sendable {
    /// The path of the file.
    package let path: String
    /// The folder's lock, which prevents other sessions from recording there.
    let lock: FolderLock
    /// The captions of the session.
    package let captions: CaptionFile

    /// Unlocks the folder for other sessions.
    package func release() { lock.release() }
}
