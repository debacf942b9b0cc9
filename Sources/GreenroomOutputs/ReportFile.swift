/// The session's report: `session.json` in a folder of recordings, or `talk.report.json` beside the file of an
/// output.
///
/// The session writes the report at the start, each second and at the end. Each time a complete
/// file replaces the previous one, so that readers never see a partial report.
package struct ReportFile: Sendable {
    /// The path of the file.
    package let path: String
    /// The folder's lock, which prevents other sessions from recording there; nil beside a file.
    let lock: FolderLock?
    /// The captions of the session; nil beside a file.
    package let captions: CaptionFile?

    init(path: String, lock: FolderLock, captions: CaptionFile) {
        (self.path, self.lock, self.captions) = (path, lock, captions)
    }

    /// A report beside the file of an output.
    package init(path: String) {
        self.path = path
        (lock, captions) = (nil, nil)
    }

    /// Whether the report is a part of a recording, which is incomplete without it.
    package var isRecording: Bool { lock != nil }

    /// Unlocks the folder for other sessions.
    package func release() { lock?.release() }
}
