extension Catalogue {
    static let videoChecks: [Check] = [frameRate, frameStamps, colorRange, pictureContent]
}
