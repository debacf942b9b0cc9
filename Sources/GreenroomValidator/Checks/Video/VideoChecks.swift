extension Catalogue {
    static let videoChecks: [Check] = [
        frameRate, frameStamps, frameSizes, frameCost, colorRange, pictureContent, leaseEdges,
        leaseEnd, strides, wholeFrames,
    ]
}
