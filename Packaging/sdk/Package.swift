// swift-tools-version: 6.2
import PackageDescription

/// Those of Greenroom's own package.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableExperimentalFeature("Lifetimes"),
]

/// The package that plugins in Swift are built against: the interface and the SDK of Greenroom.
let package = Package(
    name: "greenroom",
    products: [.library(name: "GreenroomPlugin", targets: ["GreenroomPlugin"])],
    // A plugin turns off the traits of Greenroom, and may do so only where there are some.
    traits: [.trait(name: "Host"), .default(enabledTraits: ["Host"])],
    targets: [
        .systemLibrary(name: "GreenroomABI"),
        .target(name: "GreenroomMedia", swiftSettings: settings),
        .target(
            name: "GreenroomPlugin", dependencies: ["GreenroomABI", "GreenroomMedia"],
            swiftSettings: settings),
    ]
)
