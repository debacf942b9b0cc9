import Glibc

/// An SDP offer of a browser or another peer, as far as the room must know it; anybody can send
/// anything.
package struct SessionOffer: Equatable {
    /// A medium that is offered.
    package struct Media: Equatable {
        /// The payload types of codecs, by their names in capitals, as first offered.
        package var payloads: [String: Int] = [:]
        /// All payload types, best first.
        var formats: [Int] = []
        /// Of each payload type the codec, in capitals, and its parameters.
        var codecs: [Int: String] = [:]
        var parameters: [Int: String] = [:]
        /// How the medium is called in the offer.
        var name: String?
        /// The URIs of header extensions, by their ids.
        package var extensions: [Int: String] = [:]
        package var direction = "sendrecv"
        /// Whether it has no port of its own.
        var isPortless = false
        /// Whether it shares the transport of another medium; else one without a port is refused.
        var isBundleOnly = false

        package var sends: Bool { direction == "sendrecv" || direction == "sendonly" }
        package var receives: Bool { direction == "sendrecv" || direction == "recvonly" }
    }

    package var audio: Media?
    /// How many videos are before the audio.
    package var audioPlace = 0
    /// In the order of the offer.
    package var videos: [Media] = []
    package var video: Media? { videos.first }
    /// The offer, without the candidates that only a name or a TCP connection leads to: they are not
    /// looked up.
    package var text: String

    /// The name of its ICE session.
    private(set) var username: String?
    /// The names of all media, in order, and of those that share a transport.
    private var names: [String] = []
    private var bundled: [String] = []

    /// Which medium has the transport of each, by their names.
    var transportLines: [String: Int] {
        var lines: [String: Int] = [:]
        for (line, name) in names.enumerated() where lines[name] == nil { lines[name] = line }
        guard let first = bundled.first.flatMap({ lines[$0] }) else { return lines }
        for name in bundled where lines[name] != nil { lines[name] = first }
        return lines
    }

    /// Whether it is the room's own.
    package var isOwn: Bool { text.isEmpty }

    package static let longest = 64_000
    private static let mostLines = 2000
    static let mostCandidates = 64
    private static let mostMedia = 16
    /// Videos that one connection may have.
    package static let mostVideos = 12

    /// Reads an offer.
    ///
    /// - Throws: What is wrong with it, for the peer's programmer.
    package init(_ offer: String) throws(SignallingError) {
        guard offer.utf8.count <= Self.longest else { throw .tooLarge }
        let lines = offer.split(whereSeparator: \.isNewline).map(String.init)
        guard lines.first == "v=0" else { throw .bad("it does not begin with v=0") }
        guard lines.count <= Self.mostLines else { throw .bad("it has too many lines") }
        var kept: [String] = []
        var media: [(kind: String, media: Media)] = []
        var sessionDirection: String?
        var (hasFingerprint, hasCredentials) = (false, false)
        var candidates = 0
        for line in lines {
            guard line.utf8.count <= 4000, !line.contains("\0") else {
                throw .bad("a line is too long or has a zero")
            }
            guard Self.isPlain(line) else {
                throw .bad("a line is not a small letter, = and a value")
            }
            if line.hasPrefix("a=candidate:") {
                candidates += 1
                guard candidates <= Self.mostCandidates else {
                    throw .bad("it has more than \(Self.mostCandidates) candidates")
                }
                guard Self.isAddress(candidate: line) else { continue }
            }
            kept.append(line)
            if line.hasPrefix("a=fingerprint:") { hasFingerprint = true }
            if line.hasPrefix("a=ice-ufrag:") {
                hasCredentials = true
                if username == nil { username = String(line.dropFirst("a=ice-ufrag:".count)) }
            }
            if line.hasPrefix("m=") {
                guard media.count < Self.mostMedia else {
                    throw .bad("it has more than \(Self.mostMedia) media")
                }
                let words = line.dropFirst(2).split(separator: " ")
                media.append((words.first.map(String.init) ?? "", Media()))
                if let sessionDirection {
                    media[media.count - 1].media.direction = sessionDirection
                }
                guard words.count > 3 else { throw .bad("a medium has no codecs") }
                media[media.count - 1].media.isPortless = words[1] == "0"
                media[media.count - 1].media.formats = words.dropFirst(3).compactMap { Int($0) }
            } else if media.isEmpty {
                if let direction = Self.direction(line) { sessionDirection = direction }
                if line.hasPrefix("a=group:BUNDLE "), bundled.isEmpty {
                    bundled = line.split(separator: " ").dropFirst().map(String.init)
                }
            } else {
                media[media.count - 1].media.read(line)
            }
        }
        guard hasFingerprint, hasCredentials else {
            throw .bad("it has no fingerprint or no ICE credentials")
        }
        // An answer names its media as the offer does.
        guard Set(media.compactMap(\.media.name)).count == media.count else {
            throw .bad("each medium needs a=mid with a name of its own")
        }
        names = media.map { $0.media.name ?? "" }
        media.removeAll { $0.media.isPortless && !$0.media.isBundleOnly }
        for (kind, medium) in media {
            switch kind {
            case "audio" where audio == nil: (audio, audioPlace) = (medium, videos.count)
            case "video" where videos.count < Self.mostVideos: videos.append(medium)
            default:
                throw .unacceptable(
                    "an offer has at most one audio and \(Self.mostVideos) videos, and nothing else"
                )
            }
        }
        guard !media.isEmpty else { throw .bad("it offers no media") }
        text = kept.joined(separator: "\r\n") + "\r\n"
    }

    /// What a media server is taken to offer: it takes or sends one video of a codec, and Opus.
    ///
    /// - Parameters:
    ///   - codec: Of the video; nil for none.
    ///   - direction: The server's: `recvonly` or `sendonly`.
    package init(ofServer direction: String, video codec: VideoCodec?) {
        var sound = Media()
        (sound.payloads, sound.formats, sound.codecs) = (["OPUS": 111], [111], [111: "OPUS"])
        sound.direction = direction
        audio = sound
        text = ""
        guard let codec else { return }
        var video = Media()
        (video.payloads, video.formats, video.codecs) =
            ([codec.rawValue: 96], [96], [96: codec.rawValue])
        if codec == .h264 {
            video.parameters = [96: "packetization-mode=1;profile-level-id=42e01f"]
        }
        video.extensions = [3: Media.transportWideURI]
        video.direction = direction
        videos = [video]
        audioPlace = 1
    }

    /// The offer for a listener who wants audio alone.
    package var withoutVideo: SessionOffer {
        var offer = self
        (offer.videos, offer.audioPlace) = ([], 0)
        return offer
    }

    package static func direction(_ line: String) -> String? {
        ["a=sendrecv", "a=sendonly", "a=recvonly", "a=inactive"].contains(line)
            ? String(line.dropFirst(2)) : nil
    }

    /// Whether GStreamer's parser reads a line as this one does. It passes over white space at the start
    /// of lines and values, and compares bytes, where Swift compares characters.
    static func isPlain(_ line: String) -> Bool {
        let bytes = Array(line.utf8)
        let letter = UInt8(ascii: "a")...UInt8(ascii: "z")
        guard bytes.count >= 2, letter.contains(bytes[0]), bytes[1] == UInt8(ascii: "=") else {
            return false
        }
        switch bytes[0] {
        case UInt8(ascii: "s"): return true
        case UInt8(ascii: "a"), UInt8(ascii: "m"):
            guard bytes.allSatisfy({ (32...126).contains($0) }) else { return false }
        default: break
        }
        return bytes.count > 2 && (33...126).contains(bytes[2])
    }

    /// Whether a candidate is a UDP address. A name would be looked up.
    static func isAddress(candidate: String) -> Bool {
        let words = candidate.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count >= 8, words[2].lowercased() == "udp" else { return false }
        let text = String(words[4])
        var (ip4, ip6) = (in_addr(), in6_addr())
        return inet_pton(AF_INET, text, &ip4) == 1 || inet_pton(AF_INET6, text, &ip6) == 1
    }
}

extension SessionOffer.Media {
    fileprivate mutating func read(_ line: String) {
        if let direction = SessionOffer.direction(line) {
            self.direction = direction
        } else if line == "a=bundle-only" {
            isBundleOnly = true
        } else if line.hasPrefix("a=mid:") {
            if name == nil { name = String(line.dropFirst("a=mid:".count)) }
        } else if let (number, rest) = Self.numbered("a=rtpmap:", line) {
            let name = rest.prefix { $0 != "/" }.uppercased()
            guard (0...127).contains(number) else { return }
            if payloads[name] == nil { payloads[name] = number }
            codecs[number] = name
        } else if let (number, rest) = Self.numbered("a=fmtp:", line) {
            parameters[number] = rest
        } else if let (number, rest) = Self.numbered("a=extmap:", line) {
            if (1...14).contains(number) { extensions[number] = rest }
        }
    }

    /// `a=NAME:NUMBER REST`.
    private static func numbered(_ prefix: String, _ line: String) -> (Int, String)? {
        guard line.hasPrefix(prefix) else { return nil }
        let words = line.dropFirst(prefix.count).split(separator: " ", maxSplits: 1)
        guard words.count == 2, let number = Int(words[0]) else { return nil }
        return (number, String(words[1]))
    }

    /// The payload type with which a codec is sent or taken; nil if the offer has none that the room
    /// can.
    package func payload(of codec: VideoCodec) -> Int? {
        let all = formats.filter {
            // GStreamer's payloaders know the dynamic ones.
            codecs[$0] == codec.rawValue && (96...127).contains($0)
        }
        guard codec == .h264 else { return all.first }
        // Pictures of many packets need mode 1, and a baseline stream is of every profile but in name.
        let whole = all.filter { parameter("packetization-mode", of: $0) == "1" }
        return whole.first { parameter("profile-level-id", of: $0)?.hasPrefix("42") ?? true }
            ?? whole.first
    }

    /// The codec that the offer prefers of those that the room knows.
    package var codec: VideoCodec? {
        for format in formats {
            guard let codec = codecs[format].flatMap(VideoCodec.init(rawValue:)),
                payload(of: codec) != nil
            else { continue }
            return codec
        }
        return nil
    }

    private func parameter(_ name: String, of format: Int) -> String? {
        for part in (parameters[format] ?? "").split(separator: ";") {
            let words = part.split(separator: "=", maxSplits: 1)
            guard words.count == 2 else { continue }
            if words[0].trimmingPrefix(while: \.isWhitespace).lowercased() == name {
                return words[1].lowercased()
            }
        }
        return nil
    }

    /// The URI of the header extension for congestion control.
    package static let transportWideURI =
        "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"

    /// The parameters of a payload type, as caps of GStreamer; empty without any. Not for what others
    /// have written.
    package func caps(of format: Int) -> String {
        (parameters[format] ?? "").split(separator: ";").map { part in
            let words = part.split(separator: "=", maxSplits: 1)
            return words.count == 2 ? ",\(words[0])=(string)\(words[1])" : ""
        }.joined()
    }

    /// The id of the header extension for congestion control.
    package var transportWide: Int? {
        extensions.filter { $0.value == Self.transportWideURI }.keys.min()
    }
}
