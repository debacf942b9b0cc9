// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "ThirdPartyCamera",
    products: [.library(name: "Plasma", type: .dynamic, targets: ["Plasma"])],
    dependencies: [.package(name: "greenroom", path: "../..")],
    targets: [
        .target(
            name: "Plasma",
            dependencies: [.product(name: "GreenroomPlugin", package: "greenroom")]),
        .testTarget(
            name: "PlasmaTests",
            dependencies: [
                .product(name: "GreenroomValidator", package: "greenroom"),
                // The programs that the checks are made in: named here, they are built.
                .product(name: "greenroom", package: "greenroom"),
                .product(name: "greenroom-runner", package: "greenroom"),
            ]),
    ]
)
