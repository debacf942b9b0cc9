// swift-tools-version: 6.2
import PackageDescription

/// Shows only the entry of the library, so that its copy of the SDK stays private.
let exports = "\(Context.packageDirectory)/../../Plugins/exports.map"

let package = Package(
    name: "ThirdPartyCamera",
    products: [.library(name: "Plasma", type: .dynamic, targets: ["Plasma"])],
    dependencies: [.package(name: "greenroom", path: "../..", traits: ["Host"])],
    targets: [
        .target(
            name: "Plasma",
            dependencies: [.product(name: "GreenroomPlugin", package: "greenroom")],
            linkerSettings: [.unsafeFlags(["-Xlinker", "--version-script=\(exports)"])]),
        .testTarget(
            name: "PlasmaTests",
            dependencies: [
                .product(name: "GreenroomValidator", package: "greenroom"),
                // The programs that run the checks; SwiftPM builds them because they are named here.
                .product(name: "greenroom", package: "greenroom"),
                .product(name: "greenroom-runner", package: "greenroom"),
            ]),
    ]
)
