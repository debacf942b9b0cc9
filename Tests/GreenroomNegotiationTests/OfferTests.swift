import GreenroomMedia
import Testing

@testable import GreenroomNegotiation

@Suite struct OfferTests {
    static let maxima: [VideoCapability] = [
        VideoCapability(width: 1920, height: 1080, fps: 30),
        VideoCapability(width: 1280, height: 720, fps: 30),
        VideoCapability(width: 1280, height: 720, fps: 5),
        VideoCapability(width: 640, height: 480, fps: 30),
        VideoCapability(width: 640, height: 360, fps: 15),
        VideoCapability(width: 100, height: 100, fps: 10),
        VideoCapability(width: 8192, height: 8192, fps: 1000),
        VideoCapability(width: 1, height: 1, fps: 1),
    ]

    @Test(arguments: maxima)
    func `no row of an offer is above the maximum, and the suggestion is a row`(
        maximum: VideoCapability
    ) {
        let offer = Offer.toVideoSource(revision: 1, table: .standard, maximum: maximum)
        #expect(!offer.rows.isEmpty)
        for row in offer.rows { #expect(row.fits(under: maximum)) }
        #expect(offer.rows.contains(offer.suggested))
        #expect(offer.rows.allSatisfy { $0.size.area <= offer.suggested.size.area })
        #expect(offer == Offer.toVideoSource(revision: 1, table: .standard, maximum: maximum))
    }

    @Test func `the standard table has the sizes and rates of the vendors`() {
        #expect(CapabilityTable.standard.rows.count == 12)
        let all = CapabilityTable.standard.rows.map(\.description)
        for row in ["1920x1080@30", "858x480@30", "352x240@15", "212x160@15", "424x320@15"] {
            #expect(all.contains(row))
        }
    }

    @Test func `a low rate of the session lowers every row`() {
        let offer = Offer.toVideoSource(
            revision: 1, table: .standard,
            maximum: VideoCapability(width: 1920, height: 1080, fps: 20))
        #expect(offer.suggested == VideoCapability(width: 1920, height: 1080, fps: 20))
        #expect(offer.rows.contains(VideoCapability(width: 480, height: 270, fps: 15)))
    }

    @Test func `if no row fits, the maximum is the only row`() {
        let tiny = VideoCapability(width: 100, height: 50, fps: 7)
        let offer = Offer.toVideoSource(revision: 1, table: .standard, maximum: tiny)
        #expect(offer.rows == [tiny])
    }

    let offer = Offer.toVideoSource(
        revision: 1, table: .standard,
        maximum: VideoCapability(width: 1280, height: 720, fps: 30))
    let maximum = VideoCapability(width: 1280, height: 720, fps: 30)

    @Test func `accept agrees on the suggestion`() throws {
        let agreement = try offer.settle(.accept)
        #expect(agreement.source == offer.suggested)
        #expect(agreement.track == offer.suggested)
    }

    @Test func `a counter-offer must be in the offer`() throws {
        let row = VideoCapability(width: 640, height: 360, fps: 24)
        #expect(try offer.settle(.counter(row)).track == row)
        for outside in [
            VideoCapability(width: 1920, height: 1080, fps: 30),
            VideoCapability(width: 640, height: 360, fps: 31),
            VideoCapability(width: 641, height: 360, fps: 30),
            VideoCapability(width: 0, height: 0, fps: 30),
        ] {
            #expect(throws: InvalidValueError.self) {
                try offer.settle(.counter(outside))
            }
        }
    }

    @Test(arguments: [
        ("768x576@10", "768x576@10"), ("1920x1080@30", "1280x720@30"), ("3x8000@60", "2x720@30"),
        ("1080x1920@30", "404x720@30"), ("8192x1@1", "1280x2@1"), ("1x1@1000", "1x1@30"),
        ("1281x721@30", "1278x720@30"),
    ])
    func `a fixed size is reduced to the maximum without distortion`(
        source: String, track: String
    ) throws {
        let fixed = try #require(VideoCapability(source))
        let agreement = try offer.settle(.fixed(fixed))
        #expect(agreement.source == fixed)
        #expect(agreement.track.description == track)
    }

    @Test func `an absurd fixed size is refused`() {
        for size in [FrameSize(width: 0, height: 5), FrameSize(width: 9000, height: 9000)] {
            #expect(throws: InvalidValueError.self) {
                try offer.settle(.fixed(VideoCapability(size: size, rate: FrameRate(30))))
            }
        }
    }

    @Test func `a share's counter-offer may have any size up to the maximum`() throws {
        let share = Offer.toShareSource(revision: 1, maximum: maximum)
        let odd = VideoCapability(width: 1023, height: 333, fps: 7)
        #expect(try share.settle(.counter(odd)).track == odd)
        #expect(throws: InvalidValueError.self) {
            try share.settle(.counter(VideoCapability(width: 1281, height: 333, fps: 7)))
        }
    }
}
