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

/// The scheme of a URL, such as `rtmp` of `rtmp://host/x`; nil for a path.
///
/// - Parameter text: A path or a URL.
package func urlScheme(of text: String) -> String? {
    guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") else { return nil }
    let scheme = text[..<colon].lowercased()
    guard let first = scheme.first, ("a"..."z").contains(first),
        scheme.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) })
    else { return nil }
    return scheme
}
