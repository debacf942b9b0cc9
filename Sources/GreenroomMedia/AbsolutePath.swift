/// Makes a path absolute.
///
/// - Parameters:
///   - path: An absolute or relative path.
///   - folder: An absolute folder without symbolic links, so that each leading `..` of the path
///     removes a component. If empty, the path stays unchanged.
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
