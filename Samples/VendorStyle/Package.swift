// swift-tools-version: 6.2
import PackageDescription

/// Shows only the entry of a library, so that its copy of the SDK stays private.
let exports = "\(Context.packageDirectory)/../../Plugins/exports.map"

/// A library with a vendor's names, for other packages.
func style(_ name: String, _ dependencies: [Target.Dependency] = ["AppleMediaStyle"]) -> Target {
    .target(
        name: name,
        dependencies: dependencies + [.product(name: "GreenroomPlugin", package: "greenroom")])
}

/// A plugin library of samples, such as the listings of a vendor's documents.
func listings(_ name: String, _ styles: String...) -> Target {
    .target(
        name: name, dependencies: styles.map { .init(stringLiteral: $0) },
        // The listings have variables that nothing reads.
        swiftSettings: [.unsafeFlags(["-suppress-warnings"])],
        linkerSettings: [.unsafeFlags(["-Xlinker", "--version-script=\(exports)"])])
}

let styles = ["AppleMediaStyle", "ZoomStyle", "AzureStyle", "AgoraStyle"]
let plugins = ["ZoomListings", "AzureListings", "BroadcastListings", "ReceiverSamples"]

let package = Package(
    name: "VendorStyle",
    products: styles.map { .library(name: $0, targets: [$0]) }
        + plugins.map { .library(name: $0, type: .dynamic, targets: [$0]) },
    dependencies: [.package(name: "greenroom", path: "../..", traits: [])],
    targets: [
        style("AppleMediaStyle", []),
        style("ZoomStyle"),
        style("AzureStyle"),
        style("AgoraStyle"),
        listings("ZoomListings", "ZoomStyle"),
        listings("AzureListings", "AzureStyle"),
        listings("BroadcastListings", "AgoraStyle"),
        // Receivers in the manner of the vendors' samples.
        listings("ReceiverSamples", "ZoomStyle", "AzureStyle", "AgoraStyle"),
    ],
    // The vendors' pumps capture what is not Sendable: Swift 6 mode rejects them.
    swiftLanguageModes: [.v5]
)
