// swift-tools-version: 6.2
import PackageDescription

/// The checkout of Greenroom.
let greenroom = "../greenroom"

/// Shows only the entry of the library, so that its copy of the SDK stays private.
let exports = "\(Context.packageDirectory)/\(greenroom)/Plugins/exports.map"

let package = Package(
    name: "my-plugin",
    products: [
        .library(
            name: "MyPlugin",
            type: .dynamic,
            targets: ["MyPlugin"])
    ],
    dependencies: [
        .package(name: "VendorStyle", path: "\(greenroom)/Samples/VendorStyle")
    ],
    targets: [
        .target(
            name: "MyPlugin",
            dependencies: [.product(name: "ZoomStyle", package: "VendorStyle")],
            path: "Sources",
            linkerSettings: [
                .unsafeFlags(["-Xlinker", "--version-script=\(exports)"])
            ])
    ],
    // The vendors' pumps capture what is not Sendable: Swift 6 mode rejects them.
    swiftLanguageModes: [.v5]
)
