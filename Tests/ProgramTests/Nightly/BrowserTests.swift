import Foundation
import Glibc
import SessionTestSupport
import TestSupport
import Testing

/// Tests of the plugins Browser with Chromium.
@Suite(.ownThreads) struct BrowserTests {
    /// A page that counts its frames, in 16 bits of black and white blocks of 20 by 20 pixels.
    private static let counter = """
        <body style="margin:0;background:gray"><script>
        const blocks = [...Array(16).keys()].map(i => {
          const block = document.createElement("div")
          block.style.cssText =
            `position:absolute;top:0;left:${20 * i}px;width:20px;height:20px;background:black`
          document.body.append(block)
          return block
        })
        let count = 0
        function draw() {
          count++
          blocks.forEach((block, i) =>
            block.style.background = count >> (15 - i) & 1 ? "white" : "black")
          requestAnimationFrame(draw)
        }
        requestAnimationFrame(draw)
        </script>
        """

    /// Reads the counter; nil if the page is not there.
    private static func number(width: Int, luma: (Int, Int) -> Int) -> Int? {
        guard (100...160).contains(luma(10, 100)) else { return nil }
        return (0..<16).reduce(0) { number, block in
            2 * number + (luma(20 * block + 10, 10) > 126 ? 1 : 0)
        }
    }

    private static func number(_ frame: YUVImage) -> Int? {
        number(width: frame.width) { Int(frame.y[$1 * frame.width + $0]) }
    }

    @Test(arguments: [("camera", ""), ("share", ""), ("camera", "isolation: process")])
    func `a page is drawn once for each frame, and follows live settings`(
        track: String, keys: String
    ) throws {
        let folder = try TemporaryFolder()
        let page = try folder.write("page.html", Self.counter)
        let session = try FileSession(
            "\(track): \(FileSession.bundled("Browser", "page: '\(page)'", keys))",
            duration: "3s", clock: "virtual",
            timeline: [
                "at: 2s, set: '\(track).settings.css=body { background: white !important }'"
            ])
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let film = try session.picture(track)
        let numbers = try (0..<film.frameCount).compactMap { Self.number(try film.frame($0)) }
        let distinct = numbers.reduce(into: [Int]()) { list, number in
            if list.last != number { list.append(number) }
        }
        // The order of the page's frames, none left out.
        let first = try #require(distinct.first, "\(run)")
        #expect(distinct == Array(first..<first + distinct.count), "\(run)")
        #expect(distinct.count >= 20, "\(numbers)")
        // White, after the change.
        let last = try film.frame(film.frameCount - 1)
        #expect(last.y[100 * last.width + 10] > 230, "\(run)")
    }

    @Test(
        arguments: [
            "<iframe src='URL' style='width:320px;height:180px;border:0'></iframe>",
            "<img src='URL'>",
            "<script>location = 'URL'</script>",
            "<object data='URL' width=320 height=180></object>",
            "<div style='width:320px;height:180px;background:url(\"URL\")'></div>",
            "<link rel=stylesheet href='URL'>",
        ])
    func `a page shows the files of its folder and no others`(element: String) throws {
        let folder = try TemporaryFolder()
        try #require(mkdir(folder("site"), 0o755) == 0)
        let white =
            element.contains("stylesheet")
            ? "html { background: white !important }"
            : "<svg xmlns='http://www.w3.org/2000/svg' width='320' height='180'>"
                + "<rect width='320' height='180' fill='white'/></svg>"
        let name = element.contains("stylesheet") ? "x.css" : "x.svg"
        for (place, isShown) in [("site/\(name)", true), (name, false)] {
            let file = try folder.write(place, white)
            let page = try folder.write(
                "site/page.html",
                "<html style='background:black;margin:0'><body style='margin:0'>"
                    + element.replacing("URL", with: "file://\(file)"))
            let session = try FileSession(
                "camera: \(FileSession.bundled("Browser", "page: '\(page)'"))", duration: "2s",
                clock: "virtual")
            let run = try session.run()
            let film = try session.picture("camera")
            let last = try film.frame(film.frameCount - 1)
            #expect((last.y[20 * last.width + 20] > 200) == isShown, "\(run)")
        }
    }

    @Test
    func `a page is laid over the video by its alpha, and the rest stays bit by bit`() throws {
        let folder = try TemporaryFolder()
        let page = try folder.write(
            "page.html",
            """
            <body style="margin:0"><div style="position:absolute;left:160px;top:0;width:80px;\
            height:180px;background:rgba(255,255,255,0.5)"></div>
            """)
        func film(_ filters: String) throws -> (Y4MRecording, Finished) {
            let session = try FileSession(
                "camera: { plugin: ColorBars, settings: { ball: false }\(filters) }",
                duration: "2s", clock: "virtual")
            let run = try session.run()
            #expect(run.exit == .code(0), "\(run)")
            return (try session.picture("camera"), run)
        }
        let (plain, _) = try film("")
        let overlay = "plugin: Browser, settings: { page: '\(page)' }"
        let (covered, run) = try film(", pre-processors: [{ \(overlay) }]")
        #expect(covered.frameCount == plain.frameCount)
        let (before, after) = (
            try plain.frame(plain.frameCount - 1), try covered.frame(plain.frameCount - 1)
        )
        for row in 0..<180 {
            for column in 0..<320 {
                let place = row * 320 + column
                let (old, new) = (Int(before.y[place]), Int(after.y[place]))
                let isCovered = (160..<240).contains(column)
                // 128 of 255 of white, which is 235.
                let expected = isCovered ? old + (235 - old) * 128 / 255 : old
                guard abs(new - expected) <= (isCovered ? 2 : 0) else {
                    Issue.record("\(column),\(row): \(new), not \(expected)\n\(run)")
                    return
                }
            }
        }
        #expect(after.u[90 * 160 / 2 + 20] == before.u[90 * 160 / 2 + 20])
    }

    // MARK: Audio

    @Test func `a page's audio plays to the speaker that its setting names`() throws {
        let server = try PipeWireServer()
        let folder = try TemporaryFolder()
        let page = try folder.write(
            "page.html",
            """
            <script>
            const context = new AudioContext(), tone = context.createOscillator()
            tone.frequency.value = 500
            tone.connect(context.destination)
            tone.start()
            </script>
            """)
        let speaker = FileSession.bundled("VirtualSpeakerShareAudio", "name: Film, channels: 1")
        let session = try FileSession(
            """
            share:
              plugin: Browser
              settings: { page: '\(page)', speaker: Film }
              audio: \(speaker)
            """, duration: "6s")
        let run = try server.greenroom(session).wait()
        #expect(run.exit == .code(0), "\(run)")
        // The last second: a busy machine begins late.
        let samples = try session.sound("share").channels[0].suffix(48_000)
        #expect(Tone.amplitude(of: 500, in: samples, rate: 48_000) > 0.1, "\(run)")
    }

    // MARK: A whole session

    @Test
    func `a browser in a room sees a screen, and a camera with a page over it`() throws {
        let server = try XServer()
        let blue = try ChildProcess.run(
            "xsetroot", ["-solid", "#0000ff"], environment: server.environment)
        try #require(blue.exit == .code(0), "\(blue)")
        let folder = try TemporaryFolder()
        let page = try folder.write(
            "page.html",
            """
            <body style="margin:0"><div style="width:50vw;height:50vh;background:red"></div>
            """)
        let file = try folder.write(
            "room.yaml",
            """
            session: { maximum: 640x360@15, callback-deadline: 20s }
            camera:
              plugin: ColorBars
              pre-processors: [{ plugin: Browser, settings: { page: '\(page)' } }]
            share: { plugin: Screen, settings: { cursor: false } }
            """)
        let room = try Greenroom.start(
            ["live", file], environment: server.environment)
        try #require(
            room.waitForErrors(containing: "operators: http"),
            "\(room.errorsSoFar)")
        let link = try #require(room.errorsSoFar.firstMatch(of: #/viewers: +(http\S+)/#)?.1)
        let viewer = try FrameStream(
            [
                "Browser", "--set", "url=\(link)", "--set", "network=true", "--maximum",
                "1280x720@10",
            ], environment: [:])
        try viewer.next("the screen, the page and the bars") { frame in
            let luma = frame.width * frame.height
            let u = frame.bytes[luma..<luma + luma / 4]
            let v = frame.bytes[(luma + luma / 4)...]
            // The bars have 75 % of these colours.
            let screen = u.count { $0 > 225 }
            let page = v.count { $0 > 225 }
            let cyan = zip(u, v).count { $0 > 140 && $1 < 70 }
            return screen > 2000 && page > 100 && cyan > 50
        }
        _ = viewer.end()
        room.signal(SIGINT)
        #expect(room.wait().exit == .code(130))
    }

    // MARK: The network

    /// A server that nobody answers for: the system accepts its connections.
    private final class Listener {
        let stream: Int32
        let datagrams: Int32
        let port: UInt16

        init() throws {
            stream = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            datagrams = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let (stream, datagrams) = (stream, datagrams)
            let isBound = withUnsafeMutableBytes(of: &address) { bytes in
                guard let start = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
                    bind(stream, start, length) == 0, listen(stream, 16) == 0,
                    getsockname(stream, start, &length) == 0
                else { return false }
                // The same port, for datagrams.
                return bind(datagrams, start, length) == 0
            }
            guard isBound else { throw Failure("no port: \(errno)") }
            port = UInt16(bigEndian: address.sin_port)
            for descriptor in [stream, datagrams] { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
        }

        deinit {
            close(stream)
            close(datagrams)
        }

        var wasConnected: Bool { accept(stream, nil, nil) >= 0 }

        var wasSentDatagrams: Bool {
            var byte: UInt8 = 0
            return recv(datagrams, &byte, 1, 0) >= 0
        }
    }

    @Test(arguments: [false, true])
    func `a page reaches the network only if it is granted`(isGranted: Bool) throws {
        let listener = try Listener()
        let folder = try TemporaryFolder()
        // White when each way has failed.
        let page = try folder.write(
            "page.html",
            """
            <body style="background:black"><script>
            const image = new Promise(resolve => {
              const image = new Image()
              image.onload = image.onerror = resolve
              image.src = "http://localhost:\(listener.port)/image"
            })
            const socket = new Promise(resolve => {
              new WebSocket("ws://127.0.0.1:\(listener.port)/socket").onerror = resolve
            })
            const candidates = new Promise(resolve => {
              const connection =
                new RTCPeerConnection({ iceServers: [{ urls: "stun:127.0.0.1:\(listener.port)" }] })
              connection.onicegatheringstatechange = () =>
                connection.iceGatheringState === "complete" && resolve()
              connection.createDataChannel("x")
              connection.createOffer().then(offer => connection.setLocalDescription(offer))
            })
            const fetched = fetch("http://127.0.0.1:\(listener.port)/").catch(() => 0)
            Promise.all([image, socket, candidates, fetched])
              .then(() => document.body.style.background = "white")
            </script>
            """)
        let stream = try FrameStream(
            ["Browser", "--set", "page=\(page)", "--maximum", "320x180@15"]
                + (isGranted ? ["--set", "network=true"] : []), environment: [:])
        var (wasConnected, wasSentDatagrams) = (false, false)
        try stream.next("the end of all ways") { frame in
            wasConnected = wasConnected || listener.wasConnected
            wasSentDatagrams = wasSentDatagrams || listener.wasSentDatagrams
            return isGranted ? wasConnected && wasSentDatagrams : frame.luma(160, 90) > 200
        }
        _ = stream.end()
        #expect(wasConnected == isGranted)
        #expect(wasSentDatagrams == isGranted)
    }

    @Test func `a page whose server answers with an error status is loaded again`() throws {
        let server = try ChildProcess(
            "python3",
            [
                "-c",
                """
                import http.server
                count = 0
                class Handler(http.server.BaseHTTPRequestHandler):
                    def do_GET(self):
                        global count
                        count += self.path == "/"
                        self.send_response(502 if count < 2 else 200)
                        self.end_headers()
                        color = "black" if count < 2 else "white"
                        self.wfile.write(f"<html style='background:{color}'>".encode())
                server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
                print(server.server_port, flush=True)
                server.serve_forever()
                """,
            ])
        defer {
            server.signal(SIGKILL)
            _ = server.wait()
        }
        #expect(server.waitForOutput(containing: "\n"))
        let port = try #require(Int(server.outputSoFar.prefix { $0 != "\n" }))
        let stream = try FrameStream(
            [
                "Browser", "--set", "url=http://127.0.0.1:\(port)/", "--set", "network=true",
                "--maximum", "320x180@15",
            ], environment: [:])
        try stream.next("the page") { $0.luma(160, 90) > 200 }
        let run = stream.end()
        let reason = "the server answered with status 502; restarting the page in 0.5 s"
        #expect(run.text.contains(reason), "\(run.text)")
    }

    @Test func `an address of the network without the grant is an error with the fix`()
        throws
    {
        let session = try FileSession(
            "camera: \(FileSession.bundled("Browser", "url: 'https://example.com/'"))")
        let run = try session.run()
        #expect(run.exit != .code(0))
        #expect(run.standardError.contains("needs network: true"), "\(run)")
    }

    // MARK: Failures

    /// The children of a process, and their children.
    private static func descendants(of root: pid_t) -> [pid_t] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        var children: [pid_t: [pid_t]] = [:]
        for process in names.compactMap({ pid_t($0) }) {
            guard let bytes = try? readFile("/proc/\(process)/stat") else { continue }
            let text = String(decoding: bytes, as: UTF8.self)
            let rest = text.split(separator: ")").last?.split(separator: " ") ?? []
            if rest.count > 1, let parent = pid_t(rest[1]) {
                children[parent, default: []].append(process)
            }
        }
        var found: [pid_t] = []
        var next = children[root] ?? []
        while let process = next.popLast() {
            found.append(process)
            next += children[process] ?? []
        }
        return found
    }

    @Test func `a page that crashes is restarted, and its browser ends with the session`()
        throws
    {
        let folder = try TemporaryFolder()
        let temporary = try TemporaryFolder()
        let page = try folder.write("page.html", Self.counter)
        let stream = try FrameStream(
            ["Browser", "--set", "page=\(page)", "--maximum", "320x180@15"],
            environment: ["TMPDIR": temporary.path])
        func number(_ frame: StreamFrame) -> Int? {
            Self.number(width: frame.width, luma: frame.luma)
        }
        try stream.next("the page") { number($0) ?? 0 > 5 }
        let processes = Self.descendants(of: stream.program.id)
        #expect(processes.count > 3)
        let renderers = processes.filter { process in
            let words = (try? readFile("/proc/\(process)/cmdline")) ?? []
            return String(decoding: words, as: UTF8.self).contains("--type=renderer")
        }
        #expect(!renderers.isEmpty)
        for renderer in renderers { kill(renderer, SIGKILL) }
        // It counts from the start again.
        var last = 0
        try stream.next("the page again") { frame in
            let before = last
            last = number(frame) ?? last
            return last < before
        }
        let run = stream.end()
        #expect(
            run.text.contains("the page crashed; restarting the page in 0.5 s"), "\(run.text)")
        // Killed processes end soon. Somebody else reaps them.
        let haveEnded = waitUntil {
            processes.allSatisfy { process in
                guard let status = try? readFile("/proc/\(process)/status") else { return true }
                return String(decoding: status, as: UTF8.self).contains("State:\tZ")
            }
        }
        #expect(haveEnded)
        #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.path).isEmpty)
    }

    @Test
    func `a page whose scripts hang is restarted, and the video continues`() throws {
        let session = try FileSession(
            "camera: "
                + FileSession.bundled(
                    "Browser",
                    "url: \"data:text/html,<script>setTimeout(()=>{for(;;);},500)</script>\""),
            duration: nil)
        let run = try session.start()
        #expect(
            run.waitForErrors(
                containing: "the page does not respond for 5 s; restarting the page in 0.5 s"),
            "\(run.errorsSoFar)")
        run.signal(SIGINT)
        #expect(run.wait().exit == .code(130))
        let film = try session.picture("camera")
        #expect(film.frameCount > 15)
    }

    @Test func `without Chromium the error has the command that installs Chromium`() throws {
        let run = try Greenroom.run(
            "preview", "Browser", "--set", "url=data:text/html,x", "--duration", "1s",
            environment: ["PATH": "/nowhere"])
        #expect(run.exit != .code(0))
        #expect(
            "\(run)\(run.text)".contains("apt install chromium-headless-shell"), "\(run)\(run.text)"
        )
    }
}

/// A page that hears the session and speaks.
extension BrowserTests {
    /// A page that plays 880 Hz while it hears 440 Hz.
    private static let answeringPage = """
        <body style="margin:0;background:#246"><script>
        (async () => {
          const stream = await navigator.mediaDevices.getUserMedia({ audio: true })
          const context = new AudioContext()
          const analyser = context.createAnalyser()
          context.createMediaStreamSource(stream).connect(analyser)
          const gain = new GainNode(context, { gain: 0 })
          const tone = new OscillatorNode(context, { frequency: 880 })
          tone.connect(gain).connect(context.destination)
          tone.start()
          const spectrum = new Float32Array(analyser.frequencyBinCount)
          setInterval(() => {
            analyser.getFloatFrequencyData(spectrum)
            const bin = Math.round(440 / context.sampleRate * analyser.fftSize)
            gain.gain.value = spectrum[bin] > -50 ? 0.5 : 0
          }, 20)
        })()
        </script></body>
        """

    /// On the real clock: the page's audio takes real time.
    @Test(.nightly, arguments: ["incoming", "mix"])
    func `a page in a call answers a participant's tone with another tone`(hears: String) throws {
        let folder = try TemporaryFolder()
        let page = try folder.write("page.html", Self.answeringPage)
        let session = try FileSession(
            """
            camera: \(FileSession.bundled("Browser", "page: '\(page)', name: agent"))
            microphone: \(FileSession.bundled("Browser", "name: agent"))
            call: { plugin: LoopbackCall, settings: { script: "Ana 4s-7s microphone=440" } }
            """, duration: "9s",
            outputs: "[{ plugin: Browser, settings: { name: agent, hears: \(hears) } }, "
                + "{ record: recording }]")
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let sound = try session.sound("camera")
        let answer = try #require(
            Tone.steadyFrequency(in: sound.channels[0], near: 880, rate: sound.sampleRate),
            "\(run)")
        #expect(abs(answer.hertz - 880) < 5 && answer.seconds > 0.5, "\(answer)\n\(run)")
        // Nobody has spoken in the first 3 s, so the page was silent.
        let before = sound.channels[0].prefix(3 * sound.sampleRate)
        #expect(before.allSatisfy { abs($0) < 0.01 }, "\(run)")
        let amplitude = { (hertz: Double) in
            Tone.amplitude(of: hertz, in: sound.channels[0], rate: sound.sampleRate)
        }
        #expect(amplitude(440) < amplitude(880) / 100, "the page says what it hears")
    }
}
