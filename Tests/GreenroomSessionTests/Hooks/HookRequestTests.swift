import GreenroomMedia
import GreenroomSystem
import Testing

@testable import GreenroomSession

@Suite struct HookRequestTests {
    private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

    /// The examples of RFC 4231, whose keys are shorter and longer than a block.
    @Test(
        arguments: [
            (
                [UInt8](repeating: 0x0b, count: 20), "Hi There",
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
            ),
            (
                Array("Jefe".utf8), "what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
            ),
            (
                [UInt8](repeating: 0xaa, count: 131),
                "Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
            ),
        ])
    func `authentication codes equal the examples of RFC 4231`(
        key: [UInt8], message: String, code: String
    ) {
        #expect(SHA256.code(of: Array(message.utf8), key: key).hexadecimal == code)
    }

    @Test func `a signature equals the example of Standard Webhooks`() throws {
        let key = try HookRequest.key(Self.secret)
        #expect(
            HookRequest.signature(
                of: #"{"test": 2432232314}"#, id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
                timestamp: 1_614_265_330, key: key)
                == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    }

    @Test(arguments: [
        "", "whsec_", "whsec_c2hvcnQ=", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_%%%%",
    ])
    func `an error about an invalid key does not show the key`(text: String) {
        do throws(InvalidValueError) {
            _ = try HookRequest.key(text)
            Issue.record("accepted")
        } catch {
            #expect(error.description.hasPrefix("needs whsec_ and 24 to 64 bytes in Base64."))
        }
    }

    @Test func `curl's options quote the event`() {
        let event = HookEvent(id: "msg_1", text: #"{"text":"a \"b\" \\ c"}"#, about: nil)
        let lines = HookRequest.options(
            of: event, url: "https://example.org/h", key: [1], timestamp: 7
        ).split(separator: "\n")
        #expect(lines.first == #"url = "https://example.org/h""#)
        #expect(lines.contains(#"header = "webhook-id: msg_1""#))
        #expect(lines.contains(#"header = "webhook-timestamp: 7""#))
        #expect(lines.last == #"data-raw = "{\"text\":\"a \\\"b\\\" \\\\ c\"}""#)
    }

    @Test(
        arguments: [
            (0, "\nHTTP 200\n", .delivered), (0, "\nHTTP 204\n", .delivered),
            (0, "HTTP 404", .failed("the server answered 404", isFinal: true)),
            (0, "HTTP 301", .failed("the server answered 301", isFinal: true)),
            (0, "HTTP 429", .failed("the server answered 429", isFinal: false)),
            (0, "HTTP 503", .failed("the server answered 503", isFinal: false)),
            (
                7, "curl: (7) Failed to connect\nHTTP 000\n",
                .failed("curl: (7) Failed to connect", isFinal: false)
            ),
            (nil, "", .failed("curl ended with exit code -1", isFinal: false)),
        ] as [(Int32?, String, HookResult)])
    func `only a failure that may be temporary is retried`(
        exit: Int32?, output: String, result: HookResult
    ) {
        #expect(HookRequest.result(exit: exit, output: output) == result)
    }

    @Test(
        arguments: [
            ("https://example.org/hook?x=1", nil), ("https://example.org", nil),
            ("http://localhost:8080/h", nil), ("http://127.0.0.1/h", nil),
            ("http://[::1]:80/h", nil),
            ("http://example.org/h", "needs https://"),
            ("http://localhost.example.org/", "needs https://"),
            ("http://[::2]/", "needs https://"), ("ftp://example.org/", "needs a URL"),
            ("https:///h", "needs a URL"), ("https://a b/", "needs a URL"), ("hook", "needs a URL"),
            ("https://me:pw@example.org/", "the URL contains a password"),
            ("http://localhost@example.org/", "the URL contains a password"),
        ] as [(String, String?)])
    func `an address on another machine needs https and no password`(url: String, problem: String?)
    {
        let found = HookAction.problem(ofURL: url)
        #expect(
            problem.map { found?.hasPrefix($0) ?? false } ?? (found == nil), "\(found ?? "nil")")
    }
}
