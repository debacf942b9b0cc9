@testable import RoomDecisions
import TestSupport

/// An offer in the layout of a program, from Tests/WebRoom/Offers.
enum OfferFixture {
    static func text(_ name: String) throws -> String {
        let bytes = try readFile("\(Checkout.root)/Tests/WebRoom/Offers/\(name).sdp")
        return String(decoding: bytes, as: UTF8.self).replacing("\n", with: "\r\n")
    }

    static func description(_ name: String) throws -> SDPDescription {
        try SDPDescription(text(name))
    }

    /// The answer of webrtcbin: it serves each medium.
    static func local(of answer: SDPAnswer, sends: Bool) -> SDPDescription {
        var local = answer.offerForRoom
        for index in local.media.indices {
            local.media[index].transport = SDPDescription.Transport(
                username: "room", password: "room-password-of-24-chars",
                fingerprints: [.init(hash: "sha-256", value: "0A:1B")], setup: .active)
            local.media[index].sources =
                sends ? [.init(number: UInt32(index + 1), name: "room")] : []
            local.media[index].pairs = []
        }
        if let candidate = SDPDescription.Candidate("1 1 UDP 9 127.0.0.1 5000 typ host") {
            local.media[0].transport.candidates = [candidate]
        }
        return local
    }
}
