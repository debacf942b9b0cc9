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
    // The SDK, and sessions for tests; not the host.
    dependencies: [.package(name: "greenroom", path: greenroom, traits: ["Testing"])],
    targets: [
        .target(
            name: "MyPlugin",
            dependencies: [.product(name: "GreenroomPlugin", package: "greenroom")],
            path: "Sources",
            linkerSettings: [
                .unsafeFlags(["-Xlinker", "--version-script=\(exports)"])
            ]),
        .testTarget(
            name: "MyPluginTests",
            dependencies: [
                "MyPlugin",
                .product(name: "GreenroomTesting", package: "greenroom"),
            ],
            path: "Tests"),
    ]
)
