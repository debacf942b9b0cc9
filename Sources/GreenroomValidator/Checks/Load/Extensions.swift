import GreenroomModel
import GreenroomABI
import GreenroomHarness
import GreenroomLifecycle

extension Catalogue {
    static let extensions = Check(
        "load.extensions", "unknown extensions are NULL",
        rule: """
            get_extension returns NULL for unknown ids, and always the same pointer for \
            known ones.
            """,
        why: "Later hosts call get_extension to find out what a plugin can do.",
        measured: """
            Random ids, known ids with a letter or version changed, an empty id and one of \
            4 KB; known ids repeatedly, even while sending.
            """,
        fix: "Compare the whole string, and return static tables."
    ) { examination throws(Verdict) in
        let fixture = try examination.fixture()
        try fixture.create()
        let unknown = unknownExtensions(examination.random())
        var known: [String: UInt64] = [:]
        for id in unknown { try fixture.refuse(id) }
        for id in knownExtensions { known[id] = try fixture.ask(id) }
        try fixture.initialize()
        for id in knownExtensions { try fixture.compare(id, with: known[id], "after initialize") }
        try fixture.startSend()
        try fixture.refuse(unknown[0])
        for id in knownExtensions { try fixture.compare(id, with: known[id], "while it sends") }
        // Another check stops directly after the start.
        try fixture.wait(seconds: 0.1)
        try fixture.end()
        return .passed()
    }

    private static let knownExtensions = [
        GR_EXT_LIVE_PARAMETERS, GR_EXT_PRE_PROCESSOR, GR_EXT_PRE_PROCESSOR_PROPERTY_CHANGE,
        GR_EXT_VIDEO_CAPABILITIES,
    ]

    private static func unknownExtensions(_ random: SeededRandom) -> [String] {
        var random = random
        let letters = Array("abcdefghijklmnopqrstuvwxyz./-0123456789")
        let madeUp = (0..<8).map { _ in
            String(
                (0..<Int.random(in: 1...40, using: &random)).map { _ in
                    letters.randomElement(using: &random) ?? "a"
                })
        }
        let alike = knownExtensions.flatMap { id in
            [String(id.dropLast()), "\(id)0", "\(id)/", id.uppercased(), String(id.dropFirst())]
        }
        return ["com.example.unknown/1", "", String(repeating: "x", count: 4096), "greenroom."]
            + alike + madeUp
    }
}

extension Fixture {
    /// Requests an extension.
    fileprivate func ask(_ id: String) throws(Verdict) -> UInt64? {
        let (end, address) = pluginHarness.ask(forExtension: id)
        guard end == .done else {
            if case .lost = end { throw crash().unless("lifecycle.whole-life") }
            throw Verdict.failed(
                "get_extension(\(id.quoted)) has not returned after 2 s"
            )
            .unless(check(naming: .getExtension, end))
        }
        return address
    }

    /// Requests an extension that does not exist.
    fileprivate func refuse(_ id: String) throws(Verdict) {
        guard try ask(id) != nil else { return }
        throw .failed(
            "get_extension(\(id.quoted)) returns a pointer, but no such extension exists. Compare "
                + "whole ids, and return NULL for any other.")
    }

    fileprivate func compare(
        _ id: String, with first: UInt64?, _ when: String
    ) throws(Verdict) {
        guard try ask(id) != first else { return }
        throw .failed(
            "get_extension(\(id.quoted)) returns another pointer \(when) than after create. Keep it "
                + "the same for the instance's life.")
    }
}

extension String {
    /// The text in quotation marks, shortened if long.
    var quoted: String { count > 40 ? "\"\(prefix(40))…\" of \(utf8.count) bytes" : "\"\(self)\"" }
}
