package import GreenroomMedia

/// The places of all people in the picture: a function of the people, the active speaker and the settings.
package struct StageLayout: Equatable, Sendable {
    /// Describes how tiles are arranged.
    package enum Kind: String, CaseIterable, Sendable {
        /// All of equal size.
        case grid
        /// The active speaker large, the others in a strip below.
        case speaker
        /// The share large, people in a strip beside it. Without a share, a grid.
        case share
        /// One in a corner of another.
        case pip
        /// The places of a list.
        case custom
    }

    /// The place where the small tile of ``Kind/pip`` is.
    package enum Corner: String, CaseIterable, Sendable {
        case topLeft = "top-left"
        case topRight = "top-right"
        case bottomLeft = "bottom-left"
        case bottomRight = "bottom-right"
    }

    /// Describes how people fill their tiles. Shares are always whole.
    package enum Fit: String, CaseIterable, Sendable {
        /// Whole if the video is taller than its tile, as a phone's is; else cropped.
        case auto
        case crop
        case letterbox
    }

    package var kind: Kind
    /// The large entry of ``Kind/speaker``, ``Kind/share`` and ``Kind/pip``, by its reference; empty for the
    /// active speaker or the newest share.
    package var main: String
    /// The small entry of ``Kind/pip``, by its reference; empty for the session's camera, or else
    /// the active speaker.
    package var inset: String
    package var corner: Corner
    /// The way in which people fill tiles that have no fit in ``places``.
    package var fit: Fit
    /// The places of ``Kind/custom``.
    package var places: [CustomPlace]

    package init(
        _ kind: Kind = .grid, main: String = "", inset: String = "",
        corner: Corner = .bottomRight, fit: Fit = .auto, places: [CustomPlace] = []
    ) {
        self.fit = fit
        self.kind = kind
        self.main = main
        self.inset = inset
        self.corner = corner
        self.places = places
    }

    /// Whether the layout depends on who speaks.
    package var followsSpeaker: Bool {
        switch kind {
        case .grid: false
        case .speaker: main.isEmpty
        case .share: false
        case .pip: main.isEmpty || inset.isEmpty
        case .custom: places.contains { $0.subject == .speaker }
        }
    }

    /// The tiles, from the back to the front.
    ///
    /// - Parameters:
    ///   - entries: The possible tiles, in the order of their arrival.
    ///   - speaker: The active speaker; nil if nobody has spoken.
    ///   - canvas: The size of the picture.
    package func tiles(
        of entries: [StageEntry], speaker: StageSource?, in canvas: FrameSize
    ) -> [StageTile] {
        let gap = max(canvas.height / 90, 2)
        let whole = StageRect(canvas)
        switch kind {
        case .grid: return grid(entries, in: whole, gap)
        case .speaker:
            let main = entry(main, of: entries) ?? Self.spoken(speaker, of: entries)
            guard let main else { return [] }
            return large(
                main, before: entries.filter { $0.source != main.source }, isBeside: false,
                in: whole, gap)
        case .share:
            let main = entry(main, of: entries) ?? entries.last { $0.isShare }
            guard let main else { return grid(entries, in: whole, gap) }
            return large(
                main, before: entries.filter { $0.source != main.source }, isBeside: true,
                in: whole, gap)
        case .pip: return pictureInPicture(entries, speaker, canvas, gap)
        case .custom: return custom(entries, speaker, canvas)
        }
    }

    private func entry(_ reference: String, of entries: [StageEntry]) -> StageEntry? {
        reference.isEmpty ? nil : entries.first { $0.reference == reference }
    }

    /// The active speaker, or else the first entry that is not a share.
    private static func spoken(_ speaker: StageSource?, of entries: [StageEntry]) -> StageEntry? {
        entries.first { $0.source == speaker }
            ?? entries.first { !$0.isShare } ?? entries.first
    }

    // MARK: Arrangements

    /// Tiles of 16:9 in rows of equal length; the last row is centred.
    private func grid(
        _ entries: [StageEntry], in area: StageRect, _ gap: Int
    ) -> [StageTile] {
        guard let only = entries.first else { return [] }
        guard entries.count > 1 else { return [tile(only, area)] }
        func cell(_ columns: Int) -> (width: Int, height: Int, rows: Int) {
            let rows = (entries.count + columns - 1) / columns
            let width = (area.width - gap * (columns + 1)) / columns
            let height = (area.height - gap * (rows + 1)) / rows
            let fitted = max(min(width, height * 16 / 9), 2)
            return (fitted, max(fitted * 9 / 16, 2), rows)
        }
        let columns = (1...entries.count).max { cell($0).width < cell($1).width } ?? 1
        let (width, height, rows) = cell(columns)
        let top = area.y + (area.height - rows * height - (rows - 1) * gap) / 2
        return entries.enumerated().map { index, entry in
            let (row, column) = (index / columns, index % columns)
            let inRow = min(entries.count - row * columns, columns)
            let left = area.x + (area.width - inRow * width - (inRow - 1) * gap) / 2
            return tile(
                entry,
                StageRect(
                    x: left + column * (width + gap), y: top + row * (height + gap), width: width,
                    height: height))
        }
    }

    /// One large, and a strip of the others, as many as there is room for.
    private func large(
        _ main: StageEntry, before others: [StageEntry], isBeside: Bool, in area: StageRect,
        _ gap: Int
    ) -> [StageTile] {
        guard !others.isEmpty else { return [tile(main, area)] }
        var (room, strip) = (area, area)
        if isBeside {
            strip.width = area.width / 5
            strip.x = area.x + area.width - strip.width
            room.width -= strip.width
        } else {
            strip.height = area.height / 5
            strip.y = area.y + area.height - strip.height
            room.height -= strip.height
        }
        let length = isBeside ? strip.height : strip.width
        let (width, height) =
            isBeside
            ? (strip.width - 2 * gap, (strip.width - 2 * gap) * 9 / 16)
            : ((strip.height - 2 * gap) * 16 / 9, strip.height - 2 * gap)
        let step = (isBeside ? height : width) + gap
        let shown = others.prefix(max((length - gap) / max(step, 1), 0))
        let start = (length - shown.count * step + gap) / 2
        let small = shown.enumerated().map { index, entry in
            tile(
                entry,
                StageRect(
                    x: isBeside ? strip.x + gap : strip.x + start + index * step,
                    y: isBeside ? strip.y + start + index * step : strip.y + gap,
                    width: width, height: height))
        }
        // A screen gets all of the room, and shows its shape in it.
        return [tile(main, main.isShare ? room : room.widescreen)] + small
    }

    private func pictureInPicture(
        _ entries: [StageEntry], _ speaker: StageSource?, _ canvas: FrameSize, _ gap: Int
    ) -> [StageTile] {
        let people = entries.filter { !$0.isShare }
        let large =
            entry(main, of: entries) ?? entries.last { $0.isShare }
            ?? Self.spoken(speaker, of: entries.filter { $0.reference != inset })
        guard let large else {
            return entries.first.map { [tile($0, StageRect(canvas))] } ?? []
        }
        let others = people.filter { $0.source != large.source }
        let small =
            entry(inset, of: entries) ?? others.first { $0.reference == "camera" }
            ?? Self.spoken(speaker, of: others)
        let back = tile(large, StageRect(canvas))
        guard let small, small.source != large.source else { return [back] }
        let (width, height) = (canvas.width / 4, canvas.width / 4 * 9 / 16)
        let margin = 2 * gap
        let (right, bottom) = (canvas.width - margin - width, canvas.height - margin - height)
        let (x, y) =
            switch corner {
            case .topLeft: (margin, margin)
            case .topRight: (right, margin)
            case .bottomLeft: (margin, bottom)
            case .bottomRight: (right, bottom)
            }
        return [
            back, tile(small, StageRect(x: x, y: y, width: width, height: height)),
        ]
    }

    private func custom(
        _ entries: [StageEntry], _ speaker: StageSource?, _ canvas: FrameSize
    ) -> [StageTile] {
        let named = places.compactMap { place -> String? in
            if case .reference(let reference) = place.subject { reference } else { nil }
        }
        var waiting = entries.filter { entry in
            if case .person = entry.source { !named.contains(entry.reference) } else { false }
        }[...]
        var taken: Set<StageSource> = []
        return places.compactMap { place in
            let found: StageEntry? =
                switch place.subject {
                case .reference(let reference): entry(reference, of: entries)
                case .nextParticipant: waiting.popFirst()
                case .speaker: Self.spoken(speaker, of: entries)
                }
            // One source has one tile.
            guard let found, taken.insert(found.source).inserted else { return nil }
            func pixels(_ part: Double, of length: Int) -> Int {
                Int((part * Double(length) / 100).rounded())
            }
            let (left, top) = (
                pixels(place.x, of: canvas.width), pixels(place.y, of: canvas.height)
            )
            let rect = StageRect(
                x: left, y: top,
                width: min(pixels(place.x + place.width, of: canvas.width), canvas.width) - left,
                height: min(pixels(place.y + place.height, of: canvas.height), canvas.height) - top)
            var made = tile(found, rect)
            if let fit = place.fit { made.fit = fit }
            return made
        }
    }

    /// A tile with the fit of its entry.
    private func tile(_ entry: StageEntry, _ rect: StageRect) -> StageTile {
        let isTall =
            entry.size.map { $0.height * rect.width > $0.width * rect.height * 11 / 10 } ?? false
        let isWhole =
            switch fit {
            case .auto: isTall
            case .crop: false
            case .letterbox: true
            }
        return StageTile(
            entry.source, rect.even, fit: entry.isShare || isWhole ? .letterbox : .crop)
    }
}
