import Foundation
import RoomDecisions
import Testing

/// Requests and connections, as hostile clients may make them.
@Suite struct RequestTests {
    private func head(_ text: String) throws(RequestError) -> RequestHead {
        let lines = text.components(separatedBy: "\r\n")
        let words = lines[0].components(separatedBy: " ")
        return try RequestHead(
            method: words[0], target: words.count > 1 ? words[1] : "",
            version: words.count > 2 ? words[2] : "",
            fields: lines.dropFirst().map { line in
                let sides = line.components(separatedBy: ": ")
                return RequestHead.Field(name: sides[0], value: sides.count > 1 ? sides[1] : "")
            })
    }

    private func status(_ text: String) -> Int {
        do {
            _ = try head(text)
            return 0
        } catch {
            return error.code.rawValue
        }
    }

    @Test func `the head of an HTTP request is read`() throws {
        let head = try head(
            "POST /whip?name=A%20B&x=1 HTTP/1.1\r\nHost: a:1\r\nContent-LENGTH: 12\r\nEmpty")
        #expect(head.method == "POST" && head.path == "/whip" && head.query == "name=A%20B&x=1")
        #expect(head.length == 12 && head.fields.map(\.value) == ["a:1", "12", ""])
    }

    @Test func `paths, parameters and headers are looked up`() throws {
        let head = try head(
            "GET /api//still/A%20B.jpg?name=A%2BB+C&after&x=1=2&%zz=%zz HTTP/1.1\r\n"
                + "X-Forwarded-For: a\r\nHost: b\r\nx-forwarded-for: c,d\r\n"
                + "Authorization: Bearer 1\r\nauthorization: Bearer 2")
        #expect(head.parts == ["api", "still", "A B.jpg"])
        #expect(head.parameters.map(\.name) == ["name", "after", "x", "%zz"])
        #expect(head.parameters.map(\.value) == ["A+B+C", "", "1=2", "%zz"])
        for text in ["%", "%4", "%ff", "%4g", "a%"] {
            #expect(try self.head("GET /\(text) HTTP/1.1").parts == [text])
        }
        #expect(try self.head("GET /a%2Fb/%00/.. HTTP/1.1").parts == ["a/b", "\0", ".."])
        #expect(head["host"] == "b" && head["x-forwarded-for"] == "a, c,d" && head["via"] == nil)
        #expect(head["authorization"] == "Bearer 1, Bearer 2", "no token")
    }

    @Test(arguments: [
        ("", 505), ("GET /", 505), ("GET x HTTP/1.1", 400), ("GET http://a/ HTTP/1.1", 400),
        ("G\u{e4}T / HTTP/1.1", 400), ("GET /\u{e4} HTTP/1.1", 400), ("GET / HTTP/2", 505),
        ("GET / HTTP/1.1\r\n: x", 400), ("GET / HTTP/1.1\r\nA : 1", 400),
        ("GET / HTTP/1.1\r\nA: \0", 400), ("GET / HTTP/1.1\r\nA: 1\nB: 2", 400),
        ("GET / HTTP/1.1\r\nA: \u{7f}", 400),
        ("GET /\(String(repeating: "a", count: 16 * 1024)) HTTP/1.1", 431),
        ("GET / HTTP/1.1\r\nContent-Length: 65537", 413),
        ("GET / HTTP/1.1\r\nContent-Length: -1", 400),
        ("GET / HTTP/1.1\r\nContent-Length: 99999999999999999999", 400),
        ("GET / HTTP/1.1\r\nContent-Length:", 400),
        ("GET / HTTP/1.1\r\nContent-Length: 1\r\ncontent-length: 1", 400),
        ("GET / HTTP/1.1\r\nTransfer-Encoding: chunked", 411),
        ("GET / HTTP/1.1" + String(repeating: "\r\nA: 1", count: 101), 431),
    ])
    func `an invalid head of an HTTP request is refused with its status`(text: String, status: Int)
    {
        #expect(self.status(text) == status)
    }

    @Test func `a connection with an unread request is the last to be replaced`() {
        var table = ConnectionTable(most: 2, mostOfAddress: 2)
        for id in 1...2 { #expect(table.add(id, from: nil, at: 0, until: 10) == .admitted) }
        #expect(table.hasRoom(at: 1) { $0 == 1 })
        #expect(!table.hasRoom(at: 1) { _ in true })
        #expect(table.add(3, from: nil, at: 1, until: 11) { $0 == 1 } == .inPlace(of: 2))
        #expect(table.add(4, from: nil, at: 1, until: 11) { _ in true } == .full)
        var crowd = ConnectionTable(most: 9, mostOfAddress: 2)
        for id in 1...2 { #expect(crowd.add(id, from: "a", at: 0, until: 10) == .admitted) }
        #expect(crowd.add(3, from: "a", at: 1, until: 11) { $0 == 1 } == .inPlace(of: 2))
        #expect(crowd.add(4, from: "a", at: 1, until: 11) { _ in true } == .inPlace(of: 1))
    }

    @Test func `the oldest silent connection of the busiest address gives way first`() {
        var table = ConnectionTable(most: 4, mostOfAddress: 3)
        var said: [ConnectionTable.Verdict] = []
        for (id, address) in ["a", "b", "b", "b", "b", "c", "d"].enumerated() {
            said.append(table.add(id, from: address, at: Double(id), until: 10))
        }
        #expect(
            said == [
                .admitted, .admitted, .admitted, .admitted, .inPlace(of: 1), .inPlace(of: 2),
                .inPlace(of: 3),
            ])
        let goesOn = [0, 1].map { table.set($0, isBusy: true, at: 8, until: 20) }
        #expect(goesOn == [true, false], "one that has to end does nothing more")
    }

    @Test func `a new connection replaces only an idle connection`() {
        var table = ConnectionTable(most: 2, mostOfAddress: 2)
        for id in 0..<2 {
            _ = table.add(id, from: nil, at: 0, until: 10)
            _ = table.set(id, isBusy: true, at: 1, until: 30)
        }
        let first = table.add(2, from: nil, at: 2, until: 12)
        #expect(first == .full)
        _ = table.set(1, isBusy: false, at: 3, until: 60)
        let second = table.add(3, from: nil, at: 4, until: 14)
        #expect(second == .inPlace(of: 1))
        let late = [13.0, 14, 30].map { table.expire(at: $0) }
        #expect(late == [[], [3], [0, 3]])
    }

    @Test func `closed connections free their places`() {
        var table = ConnectionTable(most: 2, mostOfAddress: 2)
        for id in 0..<10 { _ = table.add(id, from: nil, at: Double(id), until: 20) }
        #expect(!table.hasRoom(at: 12))
        table.remove(0)
        #expect(table.hasRoom(at: 12))
        // One that has just come may be about to ask for something.
        #expect(!table.hasRoom(at: 8.1))
    }

    @Test func `IPv6 addresses of one network count as one client`() {
        #expect(ClientAddress("203.0.113.7")?.text == "203.0.113.7")
        #expect(ClientAddress("::ffff:203.0.113.7") == ClientAddress("203.0.113.7"))
        #expect(ClientAddress("2001:db8:1:2::1") == ClientAddress("2001:db8:1:2:ffff::9"))
        #expect(ClientAddress("2001:db8:1:2::1") != ClientAddress("2001:db8:1:3::1"))
        #expect(ClientAddress("fe80::1%eth0")?.isLocal == false)
        for local in ["127.0.0.1", "127.8.0.1", "::1", "::ffff:127.0.0.1"] {
            #expect(ClientAddress(local)?.isLocal == true, "\(local)")
        }
        for wrong in ["", "room.example", "1.2.3", "1.2.3.4.5", ":::"] {
            #expect(ClientAddress(wrong) == nil, "\(wrong)")
        }
    }

    @Test func `only the named proxy is trusted, and only for the last address`() {
        let (proxy, other) = (ClientAddress("127.0.0.1"), ClientAddress("192.0.2.1"))
        func text(_ peer: ClientAddress?, _ forwarded: String?) -> String? {
            ClientAddress.of(peer: peer, proxy: proxy, forwarded: forwarded)?.text
        }
        #expect(text(proxy, "198.51.100.1, 203.0.113.7") == "203.0.113.7")
        #expect(text(proxy, "203.0.113.7") == "203.0.113.7")
        #expect(text(other, "203.0.113.7") == "192.0.2.1")
        #expect(text(proxy, nil) == "127.0.0.1")
        #expect(text(proxy, "unknown") == "127.0.0.1")
        #expect(
            ClientAddress.of(peer: other, proxy: nil, forwarded: "203.0.113.7")?.text == "192.0.2.1"
        )
    }
}
