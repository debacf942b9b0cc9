/// Makes a path absolute.
///
/// - Parameters:
///   - path: As somebody wrote it.
///   - folder: An absolute folder without symbolic links, so that each leading `..` of the path
///     is a step up in its text; or an empty text, and then the path stays as it is.
/// - Returns: The path itself if it is absolute.
public func absolutePath(_ path: String, from folder: String) -> String {
    guard !path.hasPrefix("/"), !folder.isEmpty else { return path }
    var folder = folder.split(separator: "/")
    var rest = path.split(separator: "/", omittingEmptySubsequences: false)[...]
    while let first = rest.first, first == ".." || first == "." {
        if first == ".." { _ = folder.popLast() }
        rest.removeFirst()
    }
    return "/" + (folder + rest).joined(separator: "/")
}
