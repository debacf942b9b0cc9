import GreenroomMedia
import StageDecisions
import Testing

private let canvas = FrameSize(width: 1280, height: 720)

private func people(_ count: Int) -> [StageEntry] {
    (0..<count).map {
        StageEntry(.person(UInt32($0 + 1)), reference: "P\($0 + 1)", label: "P\($0 + 1)")
    }
}

private let camera = StageEntry(.own(1), reference: "camera", label: "")
private let desk = StageEntry(.own(1 << 31 | 257), reference: "camera.desk", label: "desk")
private let share = StageEntry(.share(1), reference: "share of P1", label: "P1", isShare: true)

private func rects(_ tiles: [StageTile]) -> [[Int]] {
    tiles.map { [$0.rect.x, $0.rect.y, $0.rect.width, $0.rect.height] }
}

@Suite struct StageLayoutTests {
    @Test(arguments: [
        (1, [[0, 0, 1280, 720]]),
        (2, [[8, 182, 628, 352], [644, 182, 628, 352]]),
        (3, [[18, 8, 618, 346], [644, 8, 618, 346], [330, 364, 618, 346]]),
        (
            4,
            [
                [18, 8, 618, 346], [644, 8, 618, 346], [18, 364, 618, 346],
                [644, 364, 618, 346],
            ]
        ),
    ])
    func `the grid has rows of equal tiles, and centres the last one`(
        count: Int, expected: [[Int]]
    ) {
        let tiles = StageLayout(.grid).tiles(of: people(count), speaker: nil, in: canvas)
        #expect(rects(tiles) == expected)
        #expect(tiles.map(\.source) == people(count).map(\.source))
    }

    @Test(arguments: 0...64)
    func `tiles of every layout lie within the picture, have even edges, and show each source once`(
        count: Int
    ) throws {
        let entries = [camera, share] + people(count)
        let places = try CustomPlace.places(
            in:
                "share 0 0 100 100\nspeaker 33.3 33.3 33.4 33.4\nparticipant * 0 0 1 1\nP7 99 99 1 1"
        )
        for size in [
            canvas, FrameSize(width: 320, height: 180), FrameSize(width: 640, height: 480),
        ] {
            for kind in StageLayout.Kind.allCases {
                let tiles = StageLayout(kind, places: places).tiles(
                    of: entries, speaker: .person(3), in: size)
                #expect(Set(tiles.map(\.source)).count == tiles.count)
                #expect(!tiles.isEmpty)
                for rect in tiles.map(\.rect) {
                    #expect(rect.clipped(to: size) == rect, "\(kind) \(count) \(size)")
                    #expect(rect == rect.even)
                }
            }
        }
    }

    @Test(arguments: StageLayout.Kind.allCases)
    func `tiles and the uncovered parts fill the picture`(kind: StageLayout.Kind) throws {
        let size = FrameSize(width: 320, height: 180)
        let places = try CustomPlace.places(in: "camera 10 10 50 50\nshare 30 30 50 50")
        let tiles = StageLayout(kind, places: places).tiles(
            of: [camera, share] + people(5), speaker: nil, in: size
        ).map(\.rect)
        let rest = StageRect.uncovered(by: tiles, in: size)
        var counts = [Int](repeating: 0, count: size.area)
        for (rects, amount) in [(tiles, 100), (rest, 1)] {
            for rect in rects {
                #expect(rect.even == rect)
                for y in rect.y..<rect.y + rect.height {
                    for x in rect.x..<rect.x + rect.width { counts[y * size.width + x] += amount }
                }
            }
        }
        // Each pixel is in tiles, or in one of the other parts.
        #expect(counts.allSatisfy { $0 == 1 || $0 >= 100 && $0 % 100 == 0 })
    }

    @Test func `the grid's tiles do not overlap`() {
        for count in 1...64 {
            let tiles = StageLayout(.grid).tiles(of: people(count), speaker: nil, in: canvas)
            #expect(tiles.count == count)
            for (index, one) in tiles.enumerated() {
                for other in tiles[(index + 1)...] {
                    let apart =
                        one.rect.x + one.rect.width <= other.rect.x
                        || other.rect.x + other.rect.width <= one.rect.x
                        || one.rect.y + one.rect.height <= other.rect.y
                        || other.rect.y + other.rect.height <= one.rect.y
                    #expect(apart)
                }
            }
        }
    }

    /// The layout, who speaks, and the sources from the back to the front.
    @Test(
        arguments: [
            (
                StageLayout(.speaker), StageSource.person(2),
                [.person(2), .own(1), .share(1), .person(1)]
            ),
            (StageLayout(.speaker), nil, [.own(1), .share(1), .person(1), .person(2)]),
            (
                StageLayout(.speaker, main: "P1"), .person(2),
                [.person(1), .own(1), .share(1), .person(2)]
            ),
            (StageLayout(.share), .person(2), [.share(1), .own(1), .person(1), .person(2)]),
            (StageLayout(.pip), .person(2), [.share(1), .own(1)]),
            (StageLayout(.pip, main: "P1"), .person(2), [.person(1), .own(1)]),
            (StageLayout(.pip, main: "camera"), .person(2), [.own(1), .person(2)]),
            (StageLayout(.pip, main: "P1", inset: "P2"), nil, [.person(1), .person(2)]),
        ] as [(StageLayout, StageSource?, [StageSource])])
    func `the large person depends on the speaker and the settings`(
        layout: StageLayout, speaker: StageSource?, expected: [StageSource]
    ) {
        let tiles = layout.tiles(
            of: [camera, share] + people(2), speaker: speaker, in: canvas)
        #expect(tiles.map(\.source) == expected)
        #expect(tiles.dropFirst().allSatisfy { $0.rect.size.area < tiles[0].rect.size.area })
    }

    @Test func `the share layout shows the whole share, with the people beside the share`() {
        let tiles = StageLayout(.share).tiles(of: [share] + people(2), speaker: nil, in: canvas)
        #expect(tiles.map(\.fit) == [.letterbox, .crop, .crop])
        #expect(
            rects(tiles) == [[0, 0, 1024, 720], [1032, 220, 240, 134], [1032, 364, 240, 134]])
        #expect(
            StageLayout(.share).tiles(of: people(4), speaker: nil, in: canvas)
                == StageLayout(.grid).tiles(of: people(4), speaker: nil, in: canvas))
    }

    @Test func `a strip shows as many as there is room for`() {
        let tiles = StageLayout(.speaker).tiles(of: people(30), speaker: .person(9), in: canvas)
        #expect(tiles.map(\.source) == [9, 1, 2, 3, 4, 5].map { .person($0) })
        #expect(tiles.allSatisfy { $0.rect.clipped(to: canvas) == $0.rect })
    }

    @Test(arguments: [
        (StageLayout.Corner.topLeft, [16, 16]), (.topRight, [944, 16]), (.bottomLeft, [16, 524]),
        (.bottomRight, [944, 524]),
    ])
    func `the inset is in the corner that the setting names`(
        corner: StageLayout.Corner, expected: [Int]
    ) {
        let layout = StageLayout(.pip, main: "camera", inset: "camera.desk", corner: corner)
        let tiles = layout.tiles(of: [camera, desk], speaker: nil, in: canvas)
        #expect(rects(tiles) == [[0, 0, 1280, 720], expected + [320, 180]])
    }

    @Test func `custom places name tracks, participants, the speaker, and the next participant`()
        throws
    {
        let places = try CustomPlace.places(
            in: """
                camera.desk 0 0 75 100 letterbox

                participant P2 75 0 25 50 crop
                participant * 75 50 25 25
                participant * 75 75 25 25
                participant * 0 0 10 10
                speaker 0 0 10 10
                """)
        let tiles = StageLayout(.custom, places: places).tiles(
            of: [camera, desk] + people(3), speaker: .own(1), in: canvas)
        #expect(
            tiles == [
                StageTile(
                    desk.source, StageRect(x: 0, y: 0, width: 960, height: 720), fit: .letterbox),
                StageTile(
                    .person(2), StageRect(x: 960, y: 0, width: 320, height: 360), fit: .crop),
                StageTile(
                    .person(1), StageRect(x: 960, y: 360, width: 320, height: 180), fit: .crop),
                StageTile(
                    .person(3), StageRect(x: 960, y: 540, width: 320, height: 180), fit: .crop),
                StageTile(.own(1), StageRect(x: 0, y: 0, width: 128, height: 72), fit: .crop),
            ])
    }

    @Test(arguments: [
        "camera", "camera 0 0 50", "camera 0 0 0 50", "camera 60 0 50 50", "camera 0 0 nan 50",
        "camera -1 0 50 50", "0 0 50 50 crop", "camera 0 0 50 50 round", "camera a 0 50 50",
    ])
    func `an invalid custom place is refused`(line: String) {
        #expect(throws: InvalidValueError.self) {
            try CustomPlace.places(in: "share 0 0 100 100\n\(line)")
        }
    }

    @Test(arguments: [
        ("Ana", "AN"), ("ana maria lopez", "AL"), ("  ", ""), ("Ötzi-von Tal", "ÖT"), ("4", "4"),
        ("名前", "名前"), ("Grace (desk)", "GD"),
    ])
    func `initials are two letters, of the first and the last of several words`(
        name: String, expected: String
    ) {
        #expect(StageEntry.initials(of: name) == expected)
    }
}

@Suite struct StageMotionTests {
    private let one = StageTile(
        .person(1), StageRect(x: 0, y: 0, width: 1280, height: 720), fit: .crop)
    private let small = StageTile(
        .person(1), StageRect(x: 0, y: 180, width: 640, height: 360), fit: .crop)
    private let other = StageTile(
        .person(2), StageRect(x: 640, y: 180, width: 640, height: 360), fit: .crop)

    @Test func `tiles move for 300 ms, slowly at both ends, and new ones grow`() {
        var motion = StageMotion()
        motion.move(to: [one], isAnimated: true, at: 0)
        // The first arrangement is there at once.
        #expect(motion.tiles(at: 0) == [one])
        motion.move(to: [small, other], isAnimated: true, at: 1_000_000_000)
        #expect(motion.tiles(at: 1_000_000_000).first?.rect == one.rect)
        #expect(
            motion.tiles(at: 1_150_000_000).map(\.rect) == [
                StageRect(x: 0, y: 90, width: 960, height: 540),
                StageRect(x: 720, y: 224, width: 480, height: 270),
            ])
        #expect(motion.tiles(at: 1_300_000_000) == [small, other])
        #expect(!motion.isMoving(at: 1_300_000_000))
    }

    @Test func `tiles without an animation are in their new places at once`() {
        var motion = StageMotion()
        motion.move(to: [one], isAnimated: false, at: 0)
        motion.move(to: [small, other], isAnimated: false, at: 5)
        #expect(motion.tiles(at: 5) == [small, other])
    }

    @Test func `a change during a change continues from where the tiles are`() {
        var motion = StageMotion()
        motion.move(to: [one], isAnimated: false, at: 0)
        motion.move(to: [small, other], isAnimated: true, at: 100_000_000)
        let between = motion.tiles(at: 250_000_000)
        motion.move(to: [one], isAnimated: true, at: 250_000_000)
        #expect(motion.tiles(at: 250_000_000) == [between[0]])
    }
}

/// Tests how video of another shape fills a tile.
@Suite struct StageFitTests {
    @Test(
        arguments: [
            (.auto, FrameSize(width: 405, height: 720), StageFit.letterbox),
            (.auto, FrameSize(width: 640, height: 480), .letterbox),
            (.auto, FrameSize(width: 1280, height: 720), .crop), (.auto, nil, .crop),
            (.auto, FrameSize(width: 2560, height: 1080), .crop),
            (.crop, FrameSize(width: 405, height: 720), .crop),
            (.letterbox, FrameSize(width: 1280, height: 720), .letterbox),
        ] as [(StageLayout.Fit, FrameSize?, StageFit)])
    func `a person taller than the tile is whole unless the setting crops`(
        fit: StageLayout.Fit, size: FrameSize?, expected: StageFit
    ) {
        let people: [StageEntry] = [1, 2, 3].map { (number: UInt32) in
            StageEntry(.person(number), reference: "\(number)", label: "", size: size)
        }
        for kind in [StageLayout.Kind.grid, .speaker, .pip] {
            let tiles = StageLayout(kind, fit: fit).tiles(
                of: people, speaker: nil, in: FrameSize(width: 1280, height: 720))
            #expect(tiles.count >= 2 && tiles.allSatisfy { $0.fit == expected }, "\(kind)")
        }
    }
}

@Suite struct ActiveSpeakerTests {
    /// Levels of two people each 100 ms.
    private func speakers(_ levels: [(Double, Double)]) -> [StageSource?] {
        var speaker = ActiveSpeaker()
        return levels.enumerated().map { index, level in
            let now = Int64(index) * 100_000_000
            speaker.hear(.person(1), level.0, at: now)
            speaker.hear(.person(2), level.1, at: now)
            return speaker.current
        }
    }

    @Test func `the first person who speaks is the speaker at once`() {
        #expect(speakers([(-90, -90), (-90, -20)]) == [nil, .person(2)])
    }

    @Test func `a cough of 400 ms changes nothing`() {
        let levels =
            Array(repeating: (-20.0, -90.0), count: 30) + Array(repeating: (-90, -10), count: 4)
            + Array(repeating: (-20, -90), count: 10)
        #expect(Set(speakers(levels)) == [.person(1)])
    }

    @Test func `another person becomes the speaker after 600 ms, and not before 2 s`() {
        let levels =
            Array(repeating: (-20.0, -90.0), count: 5) + Array(repeating: (-90, -20), count: 30)
        let found = speakers(levels)
        #expect(found.firstIndex(of: .person(2)) == 20)
        let late =
            Array(repeating: (-20.0, -90.0), count: 30) + Array(repeating: (-90, -20), count: 30)
        // The level of the speaker falls for some blocks first.
        #expect(speakers(late).firstIndex(of: .person(2)).map { (36...40).contains($0) } == true)
    }

    @Test func `two people who answer each other every 300 ms replace a silent speaker`() {
        var speaker = ActiveSpeaker()
        for block in 0..<200 {
            let now = Int64(block) * 100_000_000
            let loud: UInt32 = block < 30 ? 3 : block / 3 % 2 == 0 ? 1 : 2
            for person: UInt32 in [1, 2, 3] {
                speaker.hear(.person(person), person == loud ? -20 : -90, at: now)
            }
            if block == 29 { #expect(speaker.current == .person(3)) }
            if block > 45 { #expect(speaker.current != .person(3), "block \(block)") }
        }
    }

    @Test func `two people of equal loudness do not alternate`() {
        let levels = (0..<200).map { $0 % 2 == 0 ? (-20.0, -22.0) : (-22.0, -20.0) }
        #expect(Set(speakers(levels)) == [.person(1)])
    }

    @Test func `a person who has left is not the speaker`() {
        var speaker = ActiveSpeaker()
        speaker.hear(.person(1), -20, at: 0)
        speaker.forget(.person(1))
        #expect(speaker.current == nil)
        speaker.hear(.person(2), -30, at: 100_000_000)
        #expect(speaker.current == .person(2))
    }
}
