/// Decides which requests of a page may continue. A page reads files of its folder, and no others.
package struct PageGate: Sendable {
    /// The path of the page's file; nil for a page that is not a file.
    private var file: String?
    /// The folder of the page's file, without symbolic links; nil for a page that is not a file.
    private var folder: String?
    /// The reason why the page's last navigation failed; nil if it did not.
    package private(set) var failure: String?
    /// The DevTools id of the page's main frame.
    private let mainFrame: String

    /// Makes a gate for the page with this main frame. Without a folder, it refuses all files.
    package init(mainFrame: String) { self.mainFrame = mainFrame }

    /// The patterns of requests that DevTools must pause, as members of JSON: files before they are read, and
    /// documents when the server has answered.
    package static let patterns = """
        "patterns":[{"urlPattern":"file:*"},\
        {"urlPattern":"http*","resourceType":"Document","requestStage":"Response"}]
        """

    /// Begins a page.
    ///
    /// - Parameter resolve: Returns a path without symbolic links; nil if the file does not exist.
    package mutating func begin(_ address: BrowserAddress, resolve: (String) -> String?) {
        failure = nil
        file = Self.path(ofFile: address.url)
        folder = file.flatMap { Self.folder(of: $0, resolve: resolve) }
    }

    /// The files that a page reads, without symbolic links: its folder, and its own file if that is a link to
    /// another folder. Empty for a page that is not a file.
    package static func files(of address: BrowserAddress, resolve: (String) -> String?) -> [String]
    {
        guard let file = path(ofFile: address.url), let folder = folder(of: file, resolve: resolve)
        else { return [] }
        let target = resolve(file) ?? folder
        return [folder] + (isFile(target, in: folder) ? [] : [target])
    }

    private static func isFile(_ path: String, in folder: String) -> Bool {
        path == folder || path.hasPrefix(folder == "/" ? "/" : folder + "/")
    }

    private static func folder(of file: String, resolve: (String) -> String?) -> String? {
        file.lastIndex(of: "/").flatMap {
            resolve($0 == file.startIndex ? "/" : String(file[..<$0]))
        }
    }

    /// Whether a paused request may continue.
    ///
    /// - Parameters:
    ///   - frame: The frame of the request.
    ///   - status: The HTTP status of the answer; nil before it.
    package mutating func allows(
        _ url: String, frame: String?, status: Int?, resolve: (String) -> String?
    ) -> Bool {
        guard url.prefix(5).lowercased() == "file:" else {
            if let status, status >= 400, frame == mainFrame {
                failure = "the server answered with status \(status)"
            }
            return true
        }
        guard let folder, let path = Self.path(ofFile: url) else { return false }
        if path == self.file { return true }
        return resolve(path).map { Self.isFile($0, in: folder) } ?? false
    }

    /// Notes a navigation of a frame.
    ///
    /// - Parameter isUnreachable: Whether Chromium shows an error page instead of the document.
    package mutating func navigated(_ frame: String?, isUnreachable: Bool) {
        guard frame == mainFrame, isUnreachable else { return }
        failure = failure ?? "cannot load the next page"
    }

    /// The path of a `file:` URL; nil for other URLs, for other hosts and for escaped slashes.
    static func path(ofFile url: String) -> String? {
        guard url.prefix(8).lowercased() == "file:///" else { return nil }
        var bytes: [UInt8] = []
        var rest = Array(url.dropFirst(7).prefix { $0 != "?" && $0 != "#" }.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2,
                let code = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16),
                code != 0, code != UInt8(ascii: "/"), code != UInt8(ascii: "\\")
            else { return nil }
            bytes.append(code)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
