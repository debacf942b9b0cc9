extension SDPDescription {
    /// Limit of a description, in bytes.
    package static let longest = 64_000
    private static let longestLine = 4000
    private static let mostLines = 2000
    private static let mostMedia = 16
    static let mostCandidates = 64
    /// Limit of SSRCs of a medium. Three qualities, each with retransmissions and error correction,
    /// need nine.
    fileprivate static let mostSources = 16

    /// Reads an untrusted description.
    ///
    /// - Throws: The fault of the text, for the peer's programmer.
    package init(_ text: String) throws(RequestError) {
        let bytes = Array(text.utf8)
        guard bytes.count <= Self.longest else { throw .tooLarge }
        let lines = bytes.split { $0 == 10 || $0 == 13 }
        guard lines.first.map({ $0.elementsEqual("v=0".utf8) }) ?? false else {
            throw .bad("the first line is not v=0")
        }
        guard lines.count <= Self.mostLines else {
            throw .bad("more than \(Self.mostLines) lines")
        }
        var reader = Reader()
        for line in lines { try reader.read(line) }
        self = try reader.finish()
    }

    /// Reads a description line by line.
    private struct Reader {
        var description = SDPDescription()
        /// The attributes of the session, which apply to media without their own.
        var session = Media(kind: "", transportProtocol: "", hasPort: true, formats: [])
        var details = Details()
        var candidates = 0

        mutating func read(_ line: ArraySlice<UInt8>) throws(RequestError) {
            guard line.count <= SDPDescription.longestLine else {
                throw .bad("a line has more than \(SDPDescription.longestLine) bytes")
            }
            guard let kind = line.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(kind),
                line.dropFirst().first == UInt8(ascii: "=")
            else { throw .bad("a line is not a small letter, = and a value") }
            guard kind == UInt8(ascii: "a") || kind == UInt8(ascii: "m") else { return }
            guard line.allSatisfy({ (32...126).contains($0) }) else {
                throw .bad("a line of a= or m= has a character that is not ASCII")
            }
            let value = String(decoding: line.dropFirst(2), as: UTF8.self)
            if kind == UInt8(ascii: "m") {
                try begin(value)
            } else {
                try readAttribute(value)
            }
        }

        /// Begins a medium, such as `video 9 UDP/TLS/RTP/SAVPF 96 97`.
        private mutating func begin(_ value: String) throws(RequestError) {
            end()
            guard description.media.count < SDPDescription.mostMedia else {
                throw .bad("more than \(SDPDescription.mostMedia) media")
            }
            let words = value.split(separator: " ").map(String.init)
            // A port is a number such as 9, or 9/2.
            guard words.count > 3, Token.isToken(words[0], 1...32),
                let port = words[1].split(separator: "/").first.flatMap({ UInt16($0) }),
                words[2].split(separator: "/").allSatisfy({ Token.isToken($0, 1...16) }),
                words[2].utf8.count <= 64
            else { throw .bad("a line m= has no kind, port, protocol and formats") }
            description.media.append(
                Media(
                    kind: words[0], transportProtocol: words[2], hasPort: port != 0,
                    formats: words.dropFirst(3).filter { Token.isToken($0, 1...64) }))
            guard description.media[description.media.count - 1].formats.count == words.count - 3
            else { throw .bad("a format of a line m= is not a word") }
        }

        private mutating func readAttribute(_ line: String) throws(RequestError) {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let (name, value) = (parts[0], parts.count > 1 ? String(parts[1]) : "")
            let last = description.media.count - 1
            if name == "candidate" {
                candidates += 1
                guard candidates <= SDPDescription.mostCandidates else {
                    throw .bad("more than \(SDPDescription.mostCandidates) candidates")
                }
            }
            if last >= 0 {
                try description.media[last].read(name, value, &details)
            } else {
                switch name {
                case "group":
                    let words = value.split(separator: " ").map(String.init)
                    guard words.first == "BUNDLE", words.count > 1 else { return }
                    description.groups.append(Array(words.dropFirst()))
                case "ice-lite": description.isLite = true
                case Substring(SDPDescription.roomsAttribute):
                    description.rooms = value.split(separator: " ").map(String.init)
                        .filter { Token.isToken($0, 1...64) }
                    description.rooms = Array(
                        description.rooms.prefix(SDPDescription.mostRooms))
                default:
                    // Payload types of the session belong to no medium.
                    var none = Details()
                    try session.read(name, value, &none)
                }
            }
        }

        /// Completes a medium with its payload types and the session-level attributes.
        private mutating func end() {
            defer { details = Details() }
            guard let last = description.media.indices.last else { return }
            var medium = description.media[last]
            medium.direction = details.direction ?? session.direction
            let own = medium.transport
            let shared = session.transport
            medium.transport.username = own.username ?? shared.username
            medium.transport.password = own.password ?? shared.password
            if own.fingerprints.isEmpty { medium.transport.fingerprints = shared.fingerprints }
            medium.transport.setup = own.setup ?? shared.setup
            medium.sharesPort = medium.sharesPort || session.sharesPort
            if medium.isRTP { medium.payloads = details.payloads(of: medium.formats) }
            medium.transportWide = details.transportWide.min()
            medium.extensions = details.extensions
            description.media[last] = medium
        }

        mutating func finish() throws(RequestError) -> SDPDescription {
            end()
            guard !description.media.isEmpty else { throw .bad("no line m=") }
            // Names must be unique, because an answer uses the offer's names.
            let names = description.media.compactMap(\.name)
            guard Set(names).count == names.count else {
                throw .bad("two media have the same a=mid")
            }
            return description
        }
    }

    /// The attributes of payload types, before all of them are known.
    fileprivate struct Details {
        var direction: Direction?
        var codecs: [Int: (name: String, clockRate: Int, channels: Int?)] = [:]
        var parameters: [Int: [Payload.Parameter]] = [:]
        var feedback: [Int: Set<Feedback>] = [:]
        /// The feedback that applies to all payload types.
        var feedbackOfAll: Set<Feedback> = []
        var transportWide: [Int] = []
        var extensions: [Simulcast.Extension: Int] = [:]

        func payloads(of formats: [String]) -> [Payload] {
            var seen: Set<Int> = []
            return formats.compactMap { Int($0) }.filter {
                (0...127).contains($0) && seen.insert($0).inserted
            }.map { number in
                var payload = Payload(number: number)
                if let codec = codecs[number] {
                    (payload.codec, payload.clockRate) = (codec.name, codec.clockRate)
                    payload.channels = codec.channels
                }
                payload.parameters = parameters[number] ?? []
                payload.feedback = feedbackOfAll.union(feedback[number] ?? [])
                return payload
            }
        }
    }
}

extension SDPDescription.Media {
    /// Reads an attribute. The first line of a name counts, and unknown values are skipped.
    fileprivate mutating func read(
        _ name: Substring, _ value: String, _ details: inout SDPDescription.Details
    ) throws(RequestError) {
        switch name {
        case "mid":
            guard Token.isToken(value, 1...64) else {
                throw .bad("the value of a=mid is not a word of at most 64 characters")
            }
            self.name = self.name ?? value
        case "sendrecv", "sendonly", "recvonly", "inactive":
            let direction = SDPDescription.Direction(rawValue: String(name))
            details.direction = details.direction ?? direction
            self.direction = details.direction ?? self.direction
        case "bundle-only": isBundleOnly = true
        case "rtcp-mux": sharesPort = true
        case "rtpmap", "fmtp", "rtcp-fb", "extmap":
            let words = value.split(separator: " ").map(String.init)
            guard words.count > 1 else { return }
            details.read(name, words[0], words.dropFirst().joined(separator: " "))
        case "ssrc", "ssrc-group": readSource(value, isGroup: name == "ssrc-group")
        case "simulcast": readLayers(value)
        default: try transport.read(name, value)
        }
    }

    /// Reads layers, such as `recv f;h,g;~q`: the first of alternatives counts, and a layer that begins paused (~)
    /// is left out.
    private mutating func readLayers(_ value: String) {
        let words = value.split(separator: " ")
        func layers(_ direction: Substring) -> [String] {
            guard let start = words.firstIndex(of: direction), start + 1 < words.count else {
                return []
            }
            var layers: [String] = []
            for word in words[start + 1].split(separator: ";").prefix(SDPDescription.mostSources) {
                guard let name = word.split(separator: ",").first.map(String.init),
                    Token.isToken(name, 1...16), !name.hasPrefix("~"), !layers.contains(name)
                else { continue }
                layers.append(name)
            }
            return layers
        }
        if sentLayers.isEmpty { sentLayers = layers("send") }
        if receivedLayers.isEmpty { receivedLayers = layers("recv") }
    }

    /// Reads a source, `1 cname:x`, or a group, `FID 1 2`.
    private mutating func readSource(_ value: String, isGroup: Bool) {
        let words = value.split(separator: " ")
        if isGroup {
            guard words.count == 3, words[0] == "FID", let stream = UInt32(words[1]),
                let other = UInt32(words[2]), pairs.count < SDPDescription.mostSources
            else { return }
            pairs.append(.init(stream: stream, retransmissions: other))
        } else {
            guard let number = words.first.flatMap({ UInt32($0) }) else { return }
            let name = words.dropFirst().first { $0.hasPrefix("cname:") }.map {
                String($0.dropFirst("cname:".count).prefix(255))
            }
            if let index = sources.firstIndex(where: { $0.number == number }) {
                sources[index].name = sources[index].name ?? name
            } else if sources.count < SDPDescription.mostSources {
                sources.append(.init(number: number, name: name))
            }
        }
    }
}

extension SDPDescription.Transport {
    fileprivate mutating func read(
        _ name: Substring, _ value: String
    ) throws(RequestError) {
        switch name {
        case "ice-ufrag":
            guard Token.isICE(value, 4...256) else {
                throw .bad("a=ice-ufrag is not 4 to 256 letters, digits, + and /")
            }
            username = username ?? value
        case "ice-pwd":
            guard Token.isICE(value, 22...256) else {
                throw .bad("a=ice-pwd is not 22 to 256 letters, digits, + and /")
            }
            password = password ?? value
        case "fingerprint":
            let words = value.split(separator: " ").map(String.init)
            guard words.count == 2, Token.isToken(words[0], 1...16),
                words[1].split(separator: ":", omittingEmptySubsequences: false).allSatisfy({
                    $0.utf8.count == 2 && $0.allSatisfy(\.isHexDigit)
                }), words[1].utf8.count < 200
            else {
                throw .bad("a=fingerprint is not a hash and pairs of hexadecimal digits")
            }
            let hash = words[0].lowercased()
            // A peer with several certificates has a line for each.
            guard SDPDescription.Fingerprint.hashes.contains(hash),
                fingerprints.count < SDPDescription.Fingerprint.limit
            else { return }
            fingerprints.append(.init(hash: hash, value: words[1].uppercased()))
        case "setup":
            guard let setup = SDPDescription.Setup(rawValue: value) else {
                throw .bad("a=setup is not actpass, active or passive")
            }
            self.setup = self.setup ?? setup
        case "candidate":
            if let candidate = SDPDescription.Candidate(value) { candidates.append(candidate) }
        default: break
        }
    }
}

extension SDPDescription.Details {
    fileprivate mutating func read(_ name: Substring, _ word: String, _ rest: String) {
        if name == "rtcp-fb", word == "*" {
            if let kind = SDPDescription.Feedback(rawValue: rest) { feedbackOfAll.insert(kind) }
            return
        }
        guard let number = Int(word), (0...127).contains(number) else { return }
        switch name {
        case "rtpmap":
            let parts = rest.split(separator: "/").map(String.init)
            guard codecs[number] == nil, parts.count >= 2, Token.isToken(parts[0], 1...32),
                let rate = Int(parts[1]), (1...1_000_000).contains(rate)
            else { return }
            let channels =
                parts.count > 2 ? Int(parts[2]).flatMap { (1...255) ~= $0 ? $0 : nil } : nil
            codecs[number] = (parts[0].uppercased(), rate, channels)
        case "fmtp":
            guard parameters[number] == nil else { return }
            parameters[number] = rest.split(separator: ";").prefix(32).compactMap { part in
                let sides = part.split(separator: "=", maxSplits: 1)
                guard sides.count == 2 else { return nil }
                let name = String(sides[0].filter { $0 != " " }).lowercased()
                let value = String(sides[1].filter { $0 != " " })
                guard Token.isToken(name, 1...64), Token.isToken(value, 1...64) else { return nil }
                return .init(name: name, value: value)
            }
        case "rtcp-fb":
            if let kind = SDPDescription.Feedback(rawValue: rest) {
                feedback[number, default: []].insert(kind)
            }
        case "extmap":
            // Accept only ids of one-byte extensions.
            if (1...14).contains(number), rest == SDPDescription.transportWideURI {
                transportWide.append(number)
            }
            let named = Simulcast.Extension.allCases.first { $0.uri == rest }
            if let named, (1...14).contains(number), extensions[named] == nil {
                extensions[named] = number
            }
        default: break
        }
    }
}
