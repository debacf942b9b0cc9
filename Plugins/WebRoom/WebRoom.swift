import CGStreamer
import Glibc
import GreenroomPlugin
import RoomAccess
import RoomDecisions

/// A room in a web page: people who open its link see and hear the session, and may join.
///
/// Media go over WebRTC, by GStreamer's webrtcbin; connections are made over HTTP in the way of WHEP
/// and WHIP.
final class WebRoom: Call {
    static let plugin = PluginDescription(
        id: "org.greenroom.web-room", name: "WebRoom", version: "1.0.0",
        summary: "A room in a web page, to watch the session and to join it", vendor: "Greenroom",
        needs: [.process, .network], memoryMegabytes: 1000)

    /// The codec of the video with media servers.
    enum ServerCodec: String, CaseIterable {
        case vp8, h264

        var codec: RoomCodec { self == .vp8 ? .vp8 : .h264 }
    }

    struct Settings: PluginSettings {
        var address = "127.0.0.1"
        var port = 0
        var proxy = ""
        var certificate = ""
        var key = ""
        var publicURL = ""
        var udpPorts = ""
        var announce = ""
        var stun = ""
        var turn = ""
        var turnUsername = ""
        var turnPassword = ""
        var turnSecret = ""
        var allowOrigins = ""
        var viewerToken = ""
        var guestToken = ""
        var operatorToken = ""
        var publish = ""
        var publishToken = ""
        var fetch = ""
        var fetchToken = ""
        var fetchName = ""
        var serverCodec = ServerCodec.vp8
        var title = ""
        var metricsToken = ""
        var draining = false

        static let table: [Setting<Self>] = [
            .resource(
                "address", \.address,
                title: "IP address to listen at; 127.0.0.1: only this machine, 0.0.0.0: all "
                    + "networks"),
            .integer("port", \.port, in: 0...65_535, title: "Port of the page; 0: any free port"),
            .resource(
                "proxy", \.proxy,
                title:
                    "IP address of a reverse proxy that names the client in X-Forwarded-For; "
                    + "empty: none"),
            .path(
                "certificate", \.certificate,
                title: "PEM file with the certificate of the page for HTTPS; empty: HTTP"),
            .path("key", \.key, title: "PEM file with the key of the certificate"),
            .resource(
                "public-url", \.publicURL,
                title: "URL at which people open the page, such as https://room.example; empty: "
                    + "this machine's"),
            .resource(
                "announce", \.announce,
                title:
                    "Public IP addresses that forward video and audio to this machine, separated "
                    + "by spaces; auto: the address that the STUN server sees; empty: none"),
            .resource(
                "stun", \.stun,
                title: "STUN servers, such as stun.example:3478, separated by spaces; empty: "
                    + "none"),
            .resource(
                "turn", \.turn,
                title: "TURN servers, such as turn:turn.example:3478?transport=udp, separated "
                    + "by spaces; empty: none"),
            .string(
                "turn-username", \.turnUsername, title: "User of the TURN servers; empty: none"),
            .secret(
                "turn-password", \.turnPassword, title: "Password of the TURN user"),
            .secret(
                "turn-secret", \.turnSecret,
                title:
                    "Secret that the room shares with the TURN servers, instead of a user; empty: "
                    + "none"),
            .string(
                "udp-ports", \.udpPorts,
                title: "Ports of video and audio, such as 50000-50200; empty: any"),
            .resource(
                "allow-origins", \.allowOrigins,
                title: "Origins of other web pages that may use the room, such as "
                    + "https://page.example, separated by spaces; *: all; empty: none"),
            .secret(
                "viewer-token", \.viewerToken,
                title: "Secret part of the viewers' link, after #; empty: no viewers' link"),
            .secret(
                "guest-token", \.guestToken,
                title: "Secret part of the guests' link; empty: no guests' link"),
            .secret(
                "operator-token", \.operatorToken,
                title: "Secret part of the operators' link; empty: no operators' link"),
            .resource(
                "publish", \.publish,
                title: "Address of a media server to send the session to, by WHIP; empty: none"),
            .secret("publish-token", \.publishToken, title: "Token of the server; empty: none"),
            .resource(
                "fetch", \.fetch,
                title: "Address of a media server to get a participant from, by WHEP; empty: none"
            ),
            .secret("fetch-token", \.fetchToken, title: "Token of the server; empty: none"),
            .string(
                "fetch-name", \.fetchName,
                title: "Name of the fetched participant; empty: the server's name"),
            .choice(
                "server-codec", \.serverCodec, title: "Codec of the video with media servers"),
            .string(
                "title", \.title,
                title: "Title of the page; empty: the session's name with greenroom live"),
            .secret(
                "metrics-token", \.metricsToken,
                title: "Secret that can read /metrics and nothing else; empty: only operators can"),
            .boolean(
                "draining", \.draining,
                title: "Whether new guests are refused because the session waits for its guests to "
                    + "leave; greenroom drain sets it",
                live: true),
        ]
    }

    /// Shorter ones could be guessed.
    private static let shortestToken = 16
    private static let longestToken = 128

    /// Whether a token is the same in a link and in a header.
    private static func isPlain(_ token: String) -> Bool {
        token.utf8.count <= longestToken
            && token.utf8.allSatisfy {
                switch $0 {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    private let settings: Settings
    private let host: PluginHost
    private let room: Room
    private let control: RoomControl
    private let server: RoomServer
    private let links: [ServerLink]
    private var watch: PluginThread?

    init(settings: Settings, host: PluginHost) throws {
        self.settings = settings
        self.host = host
        let tokens: [Access.Role: String] = [
            .viewer: settings.viewerToken, .guest: settings.guestToken,
            .operator: settings.operatorToken,
        ].filter { !$0.value.isEmpty }
        let metricsToken = settings.metricsToken.isEmpty ? nil : settings.metricsToken
        let named =
            tokens.map { ($0.key.rawValue, $0.value) }
            + (metricsToken.map { [("metrics", $0)] } ?? [])
        for (role, token) in named where token.utf8.count < Self.shortestToken {
            throw PluginError(
                "\(role)-token is short: write at least \(Self.shortestToken) characters, "
                    + "such as \"openssl rand -hex 16\" prints", status: .badSetting)
        }
        for (role, token) in named where !Self.isPlain(token) {
            throw PluginError(
                "\(role)-token does not fit into a link: write at most "
                    + "\(Self.longestToken) of a-z, A-Z, 0-9, - and _, such as "
                    + "\"openssl rand -hex 16\" prints", status: .badSetting)
        }
        guard Set(named.map(\.1)).count == named.count else {
            throw PluginError(
                "two roles have the same token; use a different token for each role",
                status: .badSetting)
        }
        let plans = try Self.servers(settings)
        try GStreamer.load()
        room = Room(
            services: RoomServices(host: host, network: try Self.network(settings)),
            hasOneServer: plans.count == 2
                && plans[0].address.isSameServer(as: plans[1].address))
        control = RoomControl(host: host)
        let certificate = try ServerCertificate(
            settings.certificate, key: settings.key, host: host)
        let publicURL = try Self.publicURL(settings.publicURL)
        server = try RoomServer(
            address: settings.address, port: settings.port, publicURL: publicURL,
            certificate: certificate, proxy: try Self.proxy(settings.proxy),
            handler: RoomHandler(
                room: room, access: Access(tokens: tokens, metricsToken: metricsToken),
                origins: try Self.origins(settings.allowOrigins), publicOrigin: publicURL,
                control: control,
                title: settings.title.isEmpty ? nil : try Self.title(settings.title)),
            host: host)
        links = plans.map { [room] in ServerLink($0, room: room) }
        room.setDraining(settings.draining)
    }

    private static func servers(_ settings: Settings) throws -> [ServerLink.Plan] {
        let given: [(ServerPurpose, String, String)] = [
            (.publish, settings.publish, settings.publishToken),
            (.fetch, settings.fetch, settings.fetchToken),
        ]
        return try given.filter { !$0.1.isEmpty }.map { purpose, url, token in
            guard let address = ServerAddress(url) else {
                throw PluginError(
                    "\(purpose.rawValue): not a URL. Write one such as "
                        + "https://media.example/\(purpose == .publish ? "whip" : "whep")",
                    status: .badSetting)
            }
            guard token.utf8.allSatisfy({ (33...126).contains($0) }) else {
                throw PluginError(
                    "\(purpose.rawValue)-token has characters that a header can't have: write only "
                        + "the token, without Bearer", status: .badSetting)
            }
            let name = settings.fetchName.isEmpty ? address.origin : settings.fetchName
            return ServerLink.Plan(
                purpose: purpose, address: address, token: token.isEmpty ? nil : token,
                codec: settings.serverCodec.codec, name: try Self.name(name))
        }
    }

    private static func ports(_ text: String) throws -> ClosedRange<UInt16>? {
        guard !text.isEmpty else { return nil }
        let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { UInt16($0) }
        guard ends.count == 2, let first = ends[0], let last = ends[1], first >= 1024, first <= last
        else {
            throw PluginError(
                "udp-ports: \"\(text)\" is not a range of ports: write the first and the last, from 1024 "
                    + "to 65535, such as 50000-50200", status: .badSetting)
        }
        return first...last
    }

    private static func network(_ settings: Settings) throws -> RoomNetwork {
        guard let announcement = Announcement(settings.announce) else {
            throw PluginError(
                "announce: \"\(settings.announce.prefix(200))\" is not a list of IP addresses that other "
                    + "machines reach: write the public address, such as 203.0.113.7, or auto",
                status: .badSetting)
        }
        let network = RoomNetwork(
            // If a router forwards media, the address may be only the page's, for a proxy on this machine.
            address: reaches(settings) ? nil : settings.address,
            ports: try ports(settings.udpPorts), announcement: announcement,
            servers: IceServers(
                try servers(settings.stun, .stun) + servers(settings.turn, .turn),
                access: try turnAccess(settings)))
        guard
            !announcement.isAuto || network.servers.servers.contains(where: { $0.scheme == .stun })
        else {
            throw PluginError(
                "announce: auto needs a STUN server: set stun, such as stun.example:3478",
                status: .badSetting)
        }
        return network
    }

    /// Whether media use all addresses of the machine.
    private static func reaches(_ settings: Settings) -> Bool {
        if PageAddress.isWildcard(settings.address) { return true }
        let isLocal = NetworkAddress(settings.address)?.reach == .machine
        return isLocal && !(settings.announce + settings.stun + settings.turn).isEmpty
    }

    private static func servers(
        _ text: String, _ setting: IceServer.Scheme
    ) throws -> [IceServer] {
        try text.split(separator: " ").map { word in
            guard let server = IceServer(word, setting: setting) else {
                let example =
                    setting == .stun ? "stun.example:3478" : "turn:turn.example:3478?transport=udp"
                throw PluginError(
                    "\(setting.rawValue): \"\(word.prefix(200))\" is not the address of a server: "
                        + "write one such as \(example)", status: .badSetting)
            }
            return server
        }
    }

    private static func turnAccess(_ settings: Settings) throws -> IceServers.Access {
        let (user, password) = (settings.turnUsername, settings.turnPassword)
        let texts = [user, password, settings.turnSecret]
        guard texts.allSatisfy({ $0.utf8.count <= 500 && $0.utf8.allSatisfy { (32...126) ~= $0 } })
        else {
            throw PluginError(
                "turn-username, turn-password or turn-secret: has a character that is not ASCII, or more "
                    + "than 500: choose another one", status: .badSetting)
        }
        guard user.isEmpty == password.isEmpty else {
            throw PluginError(
                "turn-username and turn-password: one is missing: set both", status: .badSetting)
        }
        guard user.isEmpty || settings.turnSecret.isEmpty else {
            throw PluginError(
                "turn-secret and turn-username: the secret makes the user: remove one of them",
                status: .badSetting)
        }
        guard settings.turn.isEmpty || !user.isEmpty || !settings.turnSecret.isEmpty else {
            throw PluginError(
                "turn: TURN servers need a user: set turn-secret, or turn-username and turn-password",
                status: .badSetting)
        }
        guard settings.turnSecret.isEmpty else {
            return .shared { [secret = settings.turnSecret] username in
                var hash = [UInt8](repeating: 0, count: Int(GREENROOM_SHA1_BYTES))
                greenroom_hmac_sha1(secret, username, &hash)
                return hash
            }
        }
        return user.isEmpty
            ? .open : .fixed(IceServers.Credential(username: user, password: password))
    }

    private static func publicURL(_ text: String) throws -> String? {
        guard !text.isEmpty else { return nil }
        guard let origin = PageAddress.origin(text) else {
            throw PluginError(
                "public-url: \"\(text.prefix(200))\" is not the URL of a page at the top of a site: write "
                    + "one such as https://room.example", status: .badSetting)
        }
        return origin
    }

    private static func origins(_ text: String) throws -> AllowedOrigins {
        guard let origins = AllowedOrigins(text) else {
            throw PluginError(
                "allow-origins: \"\(text.prefix(200))\" has a word that is not an origin. Write, for "
                    + "example, https://page.example (add the port if it is not the default, and no "
                    + "path), or * for all pages", status: .badSetting)
        }
        return origins
    }

    private static func proxy(_ text: String) throws -> ClientAddress? {
        guard !text.isEmpty else { return nil }
        guard let address = ClientAddress(text) else {
            throw PluginError(
                "proxy: \"\(text)\" is not an IP address: write the proxy's address, such "
                    + "as 127.0.0.1", status: .badSetting)
        }
        return address
    }

    private static func name(_ text: String) throws -> String {
        do throws(RequestError) {
            return try RoomLimits.name(text)
        } catch {
            throw PluginError("fetch-name: \(error)", status: .badSetting)
        }
    }

    private static func title(_ text: String) throws -> String {
        do throws(RequestError) {
            return try RoomLimits.name(text)
        } catch {
            throw PluginError("title: \(error)", status: .badSetting)
        }
    }

    func onSettingsChange(_ settings: Settings) { room.setDraining(settings.draining) }

    func onTrack(_ track: Track) -> TrackWant? {
        let still = control.stills.describe(track)
        return room.describe(track) ?? still
    }

    func onSessionEvent(_ json: String) {
        if let recording = control.take(json) { room.setRecording(recording) }
        room.takeCaption(json)
        guard let message = EventLog.message(in: json) else { return }
        do throws(RequestError) {
            try room.show(message.text, from: message.author)
        } catch {
            host.log(.debug, "a message is not shown: \(error)")
        }
    }

    func onStart() throws {
        let (host, room, control, server, links) = (host, room, control, server, links)
        control.setLive(true)
        if settings.viewerToken.isEmpty, settings.guestToken.isEmpty,
            settings.operatorToken.isEmpty, links.isEmpty
        {
            host.log(
                .warning,
                "room closed: no token set. \"greenroom live\" makes links, or set "
                    + "viewer-token")
        }
        host.setState(.connecting)
        room.report()
        server.start { url in host.setState(.live, url) }
        for link in links {
            link.report()
            link.start()
        }
        watch = try PluginThread(name: "room") {
            greenroom_gst_make_certificate()
            var next = host.nowNanoseconds
            repeat {
                room.tick()
                control.stills.expire()
                server.keepTime()
                server.renewCertificate()
                for link in links {
                    link.report()
                    if room.isDrained { link.endFetch() }
                }
                next += 1_000_000_000
            } while host.wait(untilNanoseconds: next) == .ok
        }
    }

    func onVideo(_ frame: borrowing OutputFrame) throws {
        control.stills.take(frame)
        try room.take(frame)
    }

    func onAudio(_ block: borrowing OutputBlock) throws { try room.take(block) }

    func onTrackEnded(_ track: Track) {
        control.stills.end(track)
        room.end(track)
    }

    func onDemand(_ demand: TrackDemand) { room.follow(demand) }

    func onStop() {
        control.setLive(false)
        // Requests that wait for a change answer that the session has ended.
        if room.end() { usleep(300_000) }
        for link in links { link.cancel() }
        let deadline = ServerLink.endDeadline
        for link in links {
            link.finish(until: deadline)
            link.report()
        }
        server.stop()
        room.close()
        watch?.join()
        watch = nil
    }
}
