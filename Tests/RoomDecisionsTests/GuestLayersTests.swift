import GreenroomMedia
import RoomDecisions
import Testing

/// Tests which layers of a guest's camera viewers and the session get, and which the guest should send.
@Suite struct GuestLayersTests {
    private static let second: UInt64 = 1_000_000_000
    private static let sizes: [Rendition: FrameSize] = [
        .full: FrameSize(width: 1280, height: 720), .half: FrameSize(width: 640, height: 360),
        .low: FrameSize(width: 320, height: 180),
    ]

    /// A guest whose layers have all arrived.
    private func guest() -> GuestLayers {
        var layers = GuestLayers(["q", "h", "f"], at: 0)
        for (rendition, size) in Self.sizes { layers.take(size, of: rendition) }
        for (rendition, size) in Self.sizes {
            layers.measure(size.height * 1000, of: rendition, at: Self.second)
        }
        return layers
    }

    @Test(
        arguments: [
            (["q", "h", "f"], [.full: "f", .half: "h", .low: "q"]),
            (["f", "q"], [.full: "f", .low: "q"]), (["q", "h"], [.half: "h", .low: "q"]),
            // The first of other names is the best.
            (["0", "1", "2"], [.full: "0", .half: "1", .low: "2"]),
            (["a", "b"], [.full: "a", .half: "b"]), (["h", "x"], [.full: "h", .half: "x"]),
            ([], [:]),
        ] as [([String], [Rendition: String])])
    func `layers have renditions by their names, or by their order`(
        names: [String], renditions: [Rendition: String]
    ) {
        let layers = GuestLayers(names, at: 0)
        #expect(layers.names == renditions)
        #expect(
            layers.wanted == (names.isEmpty ? nil : Simulcast.offered.compactMap { renditions[$0] })
        )
        #expect(layers.renditions.count == names.count)
    }

    @Test(arguments: [
        (0, Rendition.low), (180, .low), (216, .low), (217, .half), (360, .half), (432, .half),
        (433, .full), (10_000, .full),
    ])
    func `the smallest layer that fits is used`(lines: Int, rendition: Rendition) {
        #expect(guest().sent.fitting(lines: lines) == rendition)
        #expect(GuestLayers([], at: 0).sent.fitting(lines: lines) == nil)
    }

    @Test func `the best of two layers of one size is used`() {
        // Another room publishes so.
        var layers = guest()
        layers.take(FrameSize(width: 640, height: 360), of: .low)
        #expect(layers.sent.fitting(lines: 180) == .half)
        #expect(layers.sent.fitting(lines: 720) == .full)
    }

    @Test func `a layer that has not arrived yet has an estimated size and bit rate`() {
        var layers = GuestLayers(["q", "h", "f"], at: 0)
        #expect(layers.sent.isEmpty && layers.size(of: .low) == nil)
        layers.take(FrameSize(width: 320, height: 180), of: .low)
        layers.measure(150_000, of: .low, at: Self.second)
        #expect(layers.size(of: .full) == Self.sizes[.full])
        #expect(layers.size(of: .half) == Self.sizes[.half])
        #expect(layers.sent[.full]?.lines == 720 && layers.sent[.low]?.bitsPerSecond == 150_000)
        #expect(layers.sent[.full]?.bitsPerSecond == 2_211_840)
        var large = GuestLayers(["q", "h", "f"], at: 0)
        large.take(FrameSize(width: 1280, height: 720), of: .full)
        #expect(large.size(of: .low) == Self.sizes[.low])
        large.take(FrameSize(width: 2, height: 2), of: .full)
        #expect(large.size(of: .low) == FrameSize(width: 2, height: 2))
    }

    @Test func `a peak of the bit rate fades, and a paused layer keeps its bit rate`() {
        var layers = guest()
        for (bits, shown) in [(1_000_000, 1_000_000), (100_000, 800_000), (0, 800_000)] {
            layers.measure(bits, of: .half, at: Self.second * 2)
            #expect(layers.sent[.half]?.bitsPerSecond == shown)
        }
    }

    @Test func `a layer that the guest's network does not carry is replaced until it arrives`() {
        var layers = guest()
        func substitutes() -> [Rendition] {
            [.full, .half, .low].map { layers.substitute(for: $0) }
        }
        #expect(substitutes() == [.full, .half, .low])
        layers.measure(0, of: .full, at: Self.second * 3)
        #expect(substitutes() == [.half, .half, .low])
        layers.measure(0, of: .half, at: Self.second * 4)
        #expect(substitutes() == [.low, .low, .low])
        layers.take(FrameSize(width: 1280, height: 720), of: .full)
        layers.measure(0, of: .low, at: Self.second * 4)
        // Only a larger one arrives.
        #expect(substitutes() == [.full, .full, .full])
        // Nothing arrives.
        layers.measure(0, of: .full, at: Self.second * 5)
        #expect(substitutes() == [.full, .half, .low])
    }

    @Test func `a layer that was never there is replaced at once`() {
        var layers = GuestLayers(["q", "h", "f"], at: 0)
        layers.take(FrameSize(width: 320, height: 180), of: .low)
        #expect(layers.substitute(for: .full) == .low)
        layers.measure(0, of: .full, at: Self.second)
        #expect(layers.substitute(for: .full) == .low)
        layers.take(FrameSize(width: 1280, height: 720), of: .full)
        #expect(layers.substitute(for: .full) == .full)
    }

    @Test func `a layer pauses after 5 s without a viewer, and has 2 s to return`() {
        var layers = guest()
        let steps: [(watched: Set<Rendition>, at: UInt64, isNew: Bool, wanted: [String])] = [
            ([.full, .low], 1, false, ["f", "h", "q"]), ([.low], 4, false, ["f", "h", "q"]),
            ([.low], 5, true, ["f", "q"]), ([.low], 6, true, ["q"]), ([], 10, false, ["q"]),
            ([], 11, true, []), ([], 20, false, []), ([.half], 30, true, ["h"]),
            ([.half, .full], 31, true, ["f", "h"]),
        ]
        for step in steps {
            let isNew = layers.watch(step.watched, at: step.at * Self.second)
            #expect(isNew == step.isNew && layers.wanted == step.wanted, "\(step)")
        }
        layers.measure(300_000, of: .half, at: 32 * Self.second)
        layers.measure(0, of: .full, at: 32 * Self.second)
        #expect(layers.substitute(for: .full) == .full)
        layers.measure(0, of: .full, at: 33 * Self.second)
        #expect(layers.substitute(for: .full) == .half)
        // A clock that steps back changes nothing.
        let isNew = layers.watch([], at: 1)
        #expect(!isNew)
    }

    @Test func `a guest with one stream sends it always`() {
        var layers = GuestLayers([], at: 0)
        layers.take(FrameSize(width: 640, height: 480), of: .full)
        layers.measure(0, of: .full, at: 9 * Self.second)
        let isNew = layers.watch([], at: 10 * Self.second)
        #expect(!isNew && layers.wanted == nil)
        #expect(layers.substitute(for: .full) == .full && layers.sent[.full]?.lines == 480)
        #expect(layers.sent.count == 1 && layers.size(of: .low) == nil)
    }

    @Test(
        arguments: [
            // The network's capacity, and the layers of tiles of 180, 360 and 720 lines.
            (nil, [Rendition.low, .half, .full]), (4e6, [.low, .half, .full]),
            (1.6e6, [.low, .half, .half]), (1.2e6, [.low, .low, .half]),
            (700e3, [.low, .low, .low]), (300e3, [nil, nil, .low]),
        ] as [(Double?, [Rendition?])])
    func `a viewer gets the layer that fits the tile and the network`(
        budget: Double?, renditions: [Rendition?]
    ) {
        var plan = SlotPlan()
        var layers = GuestLayers(["q", "h", "f"], at: 0)
        for (rendition, size) in Self.sizes { layers.take(size, of: rendition) }
        let wishes = [180, 360, 720].enumerated().map { slot, lines in
            SlotPlan.Wish(
                slot: slot, lines: lines, whole: VideoCapability(width: 640, height: 360, fps: 20),
                sent: layers.sent)
        }
        // One step at a time.
        var shares: [Int: SlotPlan.Share] = [:]
        for now in 0..<4 { shares = plan.shares(of: wishes, within: budget, at: Double(now)) }
        #expect([0, 1, 2].map { shares[$0]?.rendition } == renditions)
    }

    // MARK: Negotiation

    /// An offer of a video in layers, with these lines.
    private static func offer(_ lines: [String]) throws -> SDPDescription {
        try SDPDescription(
            ([
                "v=0", "o=- 1 1 IN IP4 0.0.0.0", "s=-", "t=0 0", "a=group:BUNDLE v",
                "m=video 9 UDP/TLS/RTP/SAVPF 96 97", "c=IN IP4 0.0.0.0", "a=mid:v", "a=sendonly",
                "a=ice-ufrag:abcd", "a=ice-pwd:0123456789012345678901",
                "a=fingerprint:sha-256 AA:BB", "a=setup:actpass", "a=rtcp-mux",
                "a=rtpmap:96 VP8/90000", "a=rtpmap:97 rtx/90000", "a=fmtp:97 apt=96",
            ] + lines).joined(separator: "\r\n") + "\r\n")
    }

    private static let names = [
        "a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid",
        "a=extmap:10 urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id",
        "a=extmap:11 urn:ietf:params:rtp-hdrext:sdes:repaired-rtp-stream-id",
    ]

    @Test(
        arguments: [
            (names + ["a=simulcast:send q;h;f"], ["q", "h", "f"]),
            (names + ["a=rid:q send", "a=simulcast:send f;~h"], []),
            (names + ["a=simulcast:send f,x;h"], ["f", "h"]),
            (names + ["a=simulcast:recv a send 0;1;2;3"], ["0", "1", "2"]),
            (names + ["a=simulcast:send f;f"], []), (names + ["a=simulcast:send f"], []),
            (names + ["a=simulcast:recv q;h;f"], []), (names, []),
            // Packets would not name their layer.
            (["a=simulcast:send q;h;f"], []), ([names[0], "a=simulcast:send q;h;f"], []),
            ([names[1].replacing("10", with: "15"), "a=simulcast:send q;h"], []),
        ] as [([String], [String])])
    func `the room accepts up to three layers that packets name`(
        lines: [String], layers: [String]
    ) throws {
        let answer = try SDPAnswer(to: Self.offer(lines), on: .guest)
        #expect(answer.streams.map(\.guestLayers) == [layers])
        // webrtcbin learns of the layers, and not of the offer's names of media.
        let given = answer.offerForRoom
        #expect(given.media[0].sentLayers == layers)
        #expect(
            given.media[0].extensions
                == (layers.isEmpty ? [:] : [.layer: 10, .repairedLayer: 11]))
        #expect(try SDPDescription(given.text) == given)
        let answered = try answer.description(with: OfferFixture.local(of: answer, sends: false))
        #expect(answered.media[0].receivedLayers == layers)
        #expect(
            answered.media[0].extensions
                == (layers.isEmpty ? [:] : [.medium: 4, .layer: 10, .repairedLayer: 11]))
        let text = answered.text
        let line = "a=simulcast:recv \(layers.joined(separator: ";"))"
        #expect(text.contains(line) == !layers.isEmpty)
        for layer in layers { #expect(text.contains("a=rid:\(layer) recv\r\n")) }
    }

    @Test func `a guest sends one stream if the room has no threads for layers`() throws {
        let offer = try Self.offer(Self.names + ["a=simulcast:send q;h;f"])
        var terms = MediaTerms.guest
        terms.takesLayers = false
        let answer = try SDPAnswer(to: offer, on: terms)
        let answered = try answer.description(with: OfferFixture.local(of: answer, sends: false))
        #expect(answer.streams.map(\.guestLayers) == [[]])
        #expect(!answered.text.contains("simulcast") && !answered.text.contains("rid"))
    }

    @Test func `a viewer's offer of layers is answered with one stream`() throws {
        var offer = try Self.offer(Self.names + ["a=simulcast:recv q;h;f"])
        offer.media[0].direction = .recvonly
        let answer = try SDPAnswer(to: offer, on: .viewer(videos: 1))
        #expect(answer.streams.map(\.guestLayers) == [[]])
        #expect(!answer.offerForRoom.text.contains("simulcast"))
    }

    @Test(
        arguments: [
            // Extensions of a packet, and the value of number 10.
            ("bede0001 a071 0000", "q"), ("bede0001 00a071 00", "q"), ("bede0001 3100ff 00", nil),
            ("bede0002 31aabb a168 66 0000", "hf"), ("bede0001 a571 6869", nil),
            ("bede0001 f0a071 00", nil), ("bede0000", nil), ("bede0009 a071 0000", nil),
            ("10000001 0a017100", nil), ("bede", nil), ("bede0001 a0ff 0000", "\u{fffd}"),
        ] as [(String, String?)])
    func `a packet may name its layer`(extensions: String, name: String?) {
        let digits = ("90e00007 00000009 11223344" + extensions)
            .filter { $0 != " " }.map(String.init)
        let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
            UInt8(digits[$0] + digits[$0 + 1], radix: 16)
        }
        for first: UInt8 in [0x90, 0x80] {
            let packet = [first] + bytes.dropFirst()
            let read = packet.withUnsafeBufferPointer { VideoPacket.text(ofExtension: 10, in: $0) }
            #expect(read == (first == 0x90 ? name : nil))
        }
        for count in bytes.indices {
            let part = bytes.prefix(count)
            _ = part.withUnsafeBufferPointer { VideoPacket.text(ofExtension: 10, in: $0) }
        }
    }
}
