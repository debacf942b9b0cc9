/// `session.json` in a folder of recordings.
///
/// Written when the session starts, each second, and at the end. Each time a complete file replaces
/// the last one, so that readers never see a partial report.
package struct ReportFile: Sendable {
    /// Its path.
    package let path: String
    /// Keeps other sessions from the folder.
    let lock: FolderLock

    /// Lets other sessions record to the folder.
    package func release() { lock.release() }
}
