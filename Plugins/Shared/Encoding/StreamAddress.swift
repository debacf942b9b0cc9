package import GreenroomMedia

/// A stream's destination and container.
package struct StreamAddress: Equatable, Sendable {
    /// A protocol of FFmpeg.
    private struct Scheme {
        var muxer: String
        var options: [(String, String)]
    }

    private static let schemes: [String: Scheme] = [
        "rtmp": Scheme(muxer: "flv", options: tcp),
        "rtmps": Scheme(muxer: "flv", options: tcp),
        "rtsp": Scheme(muxer: "rtsp", options: [("rtsp_transport", "tcp")]),
        "srt": Scheme(muxer: "mpegts", options: []),
        // Seven packets of MPEG-TS fit a packet of Ethernet.
        "udp": Scheme(muxer: "mpegts", options: [("pkt_size", "1316")]),
    ]

    /// A larger buffer would hide for seconds that the network is slow.
    private static let tcp = [("send_buffer_size", "65536")]

    /// The URL for FFmpeg, which may contain credentials.
    package let target: String
    /// The name of FFmpeg's muxer.
    package let muxer: String
    /// Options of the muxer and the protocol, in FFmpeg's names.
    package let options: [String: String]
    /// The URL for messages: without user, password, path and query, because each of them may be a key.
    package let name: String
    /// The length of a segment of HLS; nil for others.
    package var segmentSeconds: Int? { options["hls_time"].flatMap { Int($0) } }

    package var isSRT: Bool { name.hasPrefix("srt://") }

    /// Reads a URL.
    ///
    /// - Returns: The address, or the rule that the text breaks with its fix.
    package static func url(_ text: String) -> Result<StreamAddress, InvalidValueError> {
        guard text.utf8.allSatisfy({ $0 > 32 && $0 < 127 }) else {
            return .failure(
                InvalidValueError("has a space or a character outside ASCII: write it as %20"))
        }
        guard let colon = text.firstRange(of: "://") else {
            return .failure(InvalidValueError("is not a URL: write rtmp://HOST/APP/KEY"))
        }
        let scheme = text[..<colon.lowerBound].lowercased()
        guard let known = schemes[scheme] else {
            let names = schemes.keys.sorted().joined(separator: ", ")
            return .failure(
                InvalidValueError("has none of the schemes \(names). For a folder set 'hls'"))
        }
        let rest = text[colon.upperBound...]
        let authority = rest.prefix { !"/?#".contains($0) }
        // A slash in a password: where the host begins is not known.
        let isClear = !rest[authority.endIndex...].contains("@")
        let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        // A listener of SRT has a port alone.
        guard !host.isEmpty else {
            return .failure(InvalidValueError("names no host: write \(scheme)://HOST:PORT"))
        }
        return .success(
            StreamAddress(
                target: text, muxer: known.muxer,
                options: Dictionary(uniqueKeysWithValues: known.options),
                name: "\(scheme)://\(isClear ? host : "...")"))
    }

    /// A playlist of HLS in a folder, with its segments beside it. After a restart it continues.
    ///
    /// - Parameter seconds: The length of a segment.
    package static func hls(_ path: String, seconds: Int) -> StreamAddress {
        StreamAddress(
            target: path, muxer: "hls",
            options: [
                "hls_time": "\(seconds)", "hls_list_size": "6",
                // In FFmpeg's pattern, a percent sign is two.
                "hls_segment_filename": HLSRestart.base(of: path).replacing("%", with: "%%")
                    + "%d.ts",
                "hls_flags": "append_list+delete_segments+independent_segments+temp_file",
            ],
            name: path)
    }
}

/// The answer of a server that FFmpeg's libraries log instead of returning it.
package enum LoggedAnswer {
    /// Reads a line of their log.
    ///
    /// - Parameter target: The server's URL, whose parts after the host may be secrets.
    /// - Returns: The server's words without parts of the URL; nil if the line has none.
    package static func read(_ line: String, from target: String) -> String? {
        var answer: Substring
        if line.hasPrefix("Server error: ") {
            answer = line.dropFirst("Server error: ".count)
        } else if let reason = line.firstRange(of: "REJECT reported from HS processing: ") {
            // SRT: `processAsyncConnectRequest: REJECT ...: Incorrect passphrase - not processing further`.
            answer = line[reason.upperBound...]
            if let end = answer.firstRange(of: " - ") { answer = answer[..<end.lowerBound] }
        } else if line.hasPrefix("method ") || line.hasPrefix("Connection setup failure") {
            answer = line[...]
        } else {
            return nil
        }
        answer = answer.prefix(200)
        var text = String(answer.map { $0.isNewline ? " " : $0 })
        while text.last == " " { text.removeLast() }
        for secret in secrets(in: target) { text = text.replacing(secret, with: "...") }
        return text.isEmpty ? nil : text
    }

    /// The parts of a URL that a message may not have, the longest first.
    private static func secrets(in target: String) -> [Substring] {
        guard let separator = target.firstRange(of: "://") else { return [] }
        let rest = target[separator.upperBound...]
        let authority = rest.prefix { !"/?#".contains($0) }
        let user = authority.lastIndex(of: "@").map { authority[..<$0] } ?? ""
        let parts: [Substring] = rest[authority.endIndex...].split(
            separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let path: Substring = parts.first ?? ""
        let query: Substring = parts.count > 1 ? parts[1] : ""
        let items: [Substring] = query.split(whereSeparator: { "&#".contains($0) })
        var secrets: [Substring] = items.map { item in
            item.firstIndex(of: "=").map { item[item.index(after: $0)...] } ?? item
        }
        for part in [user, path] {
            let pieces: [Substring] = part.split(whereSeparator: { ":/=#".contains($0) })
            secrets += pieces
        }
        return secrets.filter { $0.count > 3 }.sorted { $0.count > $1.count }
    }
}
