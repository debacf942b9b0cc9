/// The folder that contains a file, from the file's path; `.` for a name without a folder.
package func parentFolder(of file: String) -> String {
    guard let slash = file.lastIndex(of: "/") else { return "." }
    return slash == file.startIndex ? "/" : String(file[..<slash])
}
