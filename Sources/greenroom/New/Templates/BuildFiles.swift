// What builds a plugin.

extension NewPackage {
    /// `Package.swift`.
    ///
    /// - Parameter greenroom: The way from the plugin's folder to Greenroom's package, or an
    ///   absolute path.
    func manifest(greenroom: String) -> String {
        let folder = greenroom.hasPrefix("/") ? "" : #"\(Context.packageDirectory)/"#
        return #"""
            // swift-tools-version: 6.2
            import PackageDescription

            /// The checkout of Greenroom.
            let greenroom = \#(greenroom.swiftLiteral)

            /// Has the library show its entry alone: its copy of the SDK stays its own.
            let exports = "\#(folder)\(greenroom)/Plugins/exports.map"

            let package = Package(
                name: "\#(plugin.name)",
                products: [
                    .library(
                        name: "\#(plugin.type)",
                        type: .dynamic,
                        targets: ["\#(plugin.type)"])
                ],
                dependencies: [.package(name: "greenroom", path: greenroom)],
                targets: [
                    .target(
                        name: "\#(plugin.type)",
                        dependencies: [.product(name: "GreenroomPlugin", package: "greenroom")],
                        path: "Sources",
                        linkerSettings: [
                            .unsafeFlags(["-Xlinker", "--version-script=\(exports)"])
                        ])
                ]
            )

            """#
    }

    /// `build.sh`.
    var buildScript: String {
        #"""
        #!/bin/sh
        # Builds \#(plugin.library). More arguments go to the compiler.
        set -eu
        cd "$(dirname "$0")"
        ${CC:-cc} -std=c99 -O2 -g -Wall -Wextra -Wpedantic -fPIC -shared -pthread -I . "$@" \
            \#(plugin.name).c -o \#(plugin.library) -lm

        """#
    }
}

extension String {
    /// As a literal of Swift.
    fileprivate var swiftLiteral: String {
        let escaped = unicodeScalars.map { scalar in
            switch scalar {
            case "\\", "\"": "\\\(scalar)"
            case _ where scalar.value < 32: "\\u{\(String(scalar.value, radix: 16))}"
            default: "\(scalar)"
            }
        }
        return "\"\(escaped.joined())\""
    }
}
