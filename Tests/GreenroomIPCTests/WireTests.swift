import GreenroomIPC
@testable import GreenroomNegotiation
import GreenroomPluginInterface
import GreenroomMedia
import TestSupport
import Testing

struct WireTests {
    private static let offer = Offer(
        revision: 7, rule: .rows, reason: .ceilingLowered,
        rows: [
            VideoCapability(width: 1280, height: 720, fps: 30),
            VideoCapability(width: 858, height: 480, fps: 15),
        ], suggested: VideoCapability(width: 858, height: 480, fps: 15))

    private static let descriptor = PluginDescriptor(
        kind: .shareSource, id: "org.example.share", name: "Share", version: "1.2.3",
        summary: "Ein Fenster – auch mit Umlaut: ä", vendor: nil, url: "https://example.org",
        parameters: [
            Parameter(
                name: "speed", title: "Speed", type: .number, unit: "px/s",
                defaultValue: .number(-0.5), bounds: -1...1, choices: [], isLive: true),
            Parameter(
                name: "mode", title: "Mode", type: .choice, unit: nil,
                defaultValue: .string("slow"), bounds: nil, choices: ["slow", "fast"],
                isLive: false),
        ])

    private static func written(_ write: (inout WireWriter) -> Void) -> [UInt8] {
        var writer = WireWriter()
        write(&writer)
        return writer.bytes
    }

    @Test func `an offer survives serialisation`() throws {
        var reader = WireReader(Self.written { $0.write(Self.offer) })
        #expect(try reader.readOffer() == Self.offer)
    }

    @Test func `a descriptor survives serialisation`() throws {
        let bytes = Self.written { $0.write(Self.descriptor) }
        var reader = WireReader(bytes)
        let read = try reader.readDescriptor()
        // Serialising it again gives equal bytes.
        #expect(Self.written { $0.write(read) } == bytes)
        #expect(read.summary == Self.descriptor.summary && read.parameters.count == 2)
        #expect(read.parameters[0].bounds == -1...1 && read.parameters[0].isLive)
    }

    @Test(arguments: [
        ParameterValue.boolean(true), .integer(.min), .number(.infinity), .string("a\u{0}b"),
    ])
    func `a value survives serialisation`(value: ParameterValue) throws {
        var reader = WireReader(Self.written { $0.write(value) })
        #expect(try reader.readValue() == value)
    }

    @Test func `a message truncated anywhere is refused`() {
        let bytes = Self.written { $0.write(Self.descriptor) }
        for count in 0..<bytes.count {
            var reader = WireReader(Array(bytes.prefix(count)))
            #expect(throws: WireError.self) { try reader.readDescriptor() }
        }
    }

    @Test func `no bytes crash the reader`() {
        var random = SeededGenerator(seed: 4)
        let seeds = [
            Self.written { $0.write(Self.descriptor) }, Self.written { $0.write(Self.offer) },
        ]
        var refused = 0
        for round in 0..<20_000 {
            var bytes = seeds[round % seeds.count]
            for _ in 0..<(1 + random.integer(0..<6)) {
                bytes[random.integer(0..<bytes.count)] = UInt8(random.integer(0..<256))
            }
            var reader = WireReader(bytes)
            do {
                if round % 2 == 0 {
                    let read = try reader.readDescriptor()
                    #expect(read.parameters.count <= 256)
                } else {
                    let read = try reader.readOffer()
                    let areLegal = read.rows.allSatisfy { $0.size.isLegal }
                    #expect(areLegal)
                }
            } catch {
                refused += 1
            }
        }
        #expect(refused > 1000 && refused < 20_000)
    }
}
