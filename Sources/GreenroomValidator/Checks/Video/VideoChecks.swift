extension Catalogue {
    static let videoChecks: [Check] = [
        frameRate, frameStamps, frameSizes, frameCost, colorRange, videoContent, leaseEdges,
        leaseEnd, strides, wholeFrames,
    ]
}
