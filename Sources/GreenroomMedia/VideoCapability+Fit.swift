extension VideoCapability {
    /// Whether both sides and the rate are at most a ceiling's.
    public func fits(under ceiling: VideoCapability) -> Bool {
        size.width <= ceiling.size.width && size.height <= ceiling.size.height
            && rate <= ceiling.rate
    }

    /// The largest legal size at the highest legal rate.
    public static let greatest = VideoCapability(
        size: FrameSize(
            width: FrameSize.maximumDimension, height: FrameSize.maximumDimension),
        rate: FrameRate(Limits.frameRate))

    /// The minimum of each side and the rate.
    public func lowered(to other: VideoCapability) -> VideoCapability {
        VideoCapability(
            size: FrameSize(
                width: min(size.width, other.size.width),
                height: min(size.height, other.size.height)),
            rate: min(rate, other.rate))
    }

    /// The capability with its sides swapped, if it is wide and an image is tall, or the other way round.
    package func turned(like image: FrameSize) -> VideoCapability {
        let isTurned =
            (size.width - size.height).signum() * (image.width - image.height).signum() < 0
        return VideoCapability(size: size.rotated(by: isTurned ? .quarter : .none), rate: rate)
    }

    /// The capability under a ceiling: its size reduced without changing its aspect ratio, its rate
    /// limited.
    public func reduced(toFit ceiling: VideoCapability) -> VideoCapability {
        VideoCapability(
            size: size.reduced(toFit: ceiling.size), rate: min(rate, ceiling.rate))
    }
}

extension FrameSize {
    /// The size itself if it fits a limit; otherwise the largest even size within it with the same
    /// aspect ratio.
    public func reduced(toFit limit: FrameSize) -> FrameSize {
        guard width > limit.width || height > limit.height else { return self }
        if width * limit.height >= height * limit.width {
            let scaled = (height * limit.width + width / 2) / width
            return FrameSize(
                width: Self.even(limit.width, limit.width),
                height: Self.even(scaled, limit.height))
        }
        let scaled = (width * limit.height + height / 2) / height
        return FrameSize(
            width: Self.even(scaled, limit.width), height: Self.even(limit.height, limit.height))
    }

    private static func even(_ side: Int, _ limit: Int) -> Int {
        min(max(side / 2 * 2, 2), max(limit, 1))
    }
}
