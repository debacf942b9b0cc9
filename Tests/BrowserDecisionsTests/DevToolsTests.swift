import BrowserDecisions
import GreenroomSchema
import Testing

/// Tests of what is read from Chromium: any of it may be written by a page.
@Suite struct DevToolsTests {
    private static func messages(_ parts: [String]) -> [String] {
        var stream = DevToolsStream()
        var messages: [String] = []
        for part in parts {
            let bytes = Array(part.utf8)
            _ = bytes.withUnsafeBytes { stream.append($0) }
            while stream.next({ message in
                messages.append(
                    message.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) })
            }) {}
        }
        return messages
    }

    @Test(arguments: [
        (["a\0bc\0"], ["a", "bc"]), (["a", "b", "\0c", "\0"], ["ab", "c"]), (["a"], []),
        (["\0\0"], ["", ""]), (["ab\0c", "d\0"], ["ab", "cd"]),
    ])
    func `DevTools messages are split at zero bytes, whatever the sizes of the reads`(
        parts: [String], expected: [String]
    ) {
        #expect(Self.messages(parts) == expected)
    }

    private static func message(_ text: String) -> (DevToolsMessage, [UInt8])? {
        let bytes = Array(text.utf8)
        return DevToolsMessage(bytes.span).map { ($0, bytes) }
    }

    @Test func `a result, an event and a failure are distinguished`() throws {
        let (result, bytes) = try #require(
            Self.message(#"{"id":7,"result":{"hasDamage":true,"n":[1,{"a":"x\né😀"}]}}"#))
        #expect(result.call == 7 && result.event == nil && result.failure == nil)
        #expect(result.content.member("hasDamage", in: bytes.span)?.isTrue == true)
        guard case .array(let values) = result.content.member("n", in: bytes.span) else {
            throw Missing()
        }
        #expect(values[0].integer == 1)
        #expect(values[1].member("a", in: bytes.span)?.text(in: bytes.span) == "x\né😀")

        let (event, parameters) = try #require(
            Self.message(#"{"method":"Page.loadEventFired","params":{"timestamp":1.5e3}}"#))
        #expect(event.call == nil && event.event == "Page.loadEventFired")
        #expect(event.content.member("timestamp", in: parameters.span)?.integer == 1500)

        let failure = Self.message(#"{"id":1,"error":{"code":-32000,"message":"no target"}}"#)
        #expect(failure?.0.failure == "no target")
    }

    private struct Missing: Error {}

    @Test(arguments: [
        "", "null", "[]", "{", "{\"id\":}", "{\"id\":1", "{\"id\":1}}", "{\"a\":1}",
        "{\"id\":1,\"x\":\"\u{1}\"}", "{\"id\":1e999}", "{\"id\":nul}", "{\"id\":1,\"x\":\"\\\"}",
        "{\"id\":1,\"x\":" + String(repeating: "[", count: 100_000),
    ])
    func `bytes that are not a message are ignored`(text: String) {
        #expect(Self.message(text) == nil)
    }

    @Test(arguments: [
        ("", [], true), ("TQ==", [77], true), ("TWE=", [77, 97], true),
        ("TWFu", [77, 97, 110], true),
        ("TWFuTQ", [77, 97, 110, 77], true), ("T", [], false), ("T\"Fu", [], false),
    ])
    func `Base64 is decoded from a part of a buffer, and invalid text is refused`(
        text: String, expected: [UInt8], isLegal: Bool
    ) {
        let bytes = Array("xx\(text)yy".utf8)
        var result: [UInt8] = [1, 2, 3]
        #expect(Base64.decode(bytes.span, 2..<bytes.count - 2, into: &result) == isLegal)
        if isLegal { #expect(result == expected) }
    }
}
