import Foundation

/// The modules that were built beside the tests.
public enum Modules {
    /// What they were built for, as the compiler's option `-target` takes it.
    public static let target: String = {
        #if arch(arm64)
            "aarch64-unknown-linux-gnu"
        #else
            "x86_64-unknown-linux-gnu"
        #endif
    }()

    /// Where the modules are that authors import, and the C modules that these need. SwiftPM writes
    /// the module maps of C targets beside the products.
    public static let arguments: [String] = {
        let files = FileManager.default
        func folders(in path: String) -> [String] {
            ((try? files.contentsOfDirectory(atPath: path)) ?? []).sorted()
        }
        // The first that is there: beside the products may also be one that an earlier build left.
        let own = folders(in: Checkout.root + "/Sources").compactMap { name in
            [
                "\(Checkout.root)/Sources/\(name)/module.modulemap",
                "\(Checkout.products)/\(name).build/module.modulemap",
            ].first { files.fileExists(atPath: $0) }
        }
        let checkouts = Checkout.products + "/../../checkouts"
        let others = folders(in: checkouts).flatMap { package in
            folders(in: "\(checkouts)/\(package)/Sources").map {
                "\(checkouts)/\(package)/Sources/\($0)/include/module.modulemap"
            }
        }
        return ["-I", Checkout.products + "/Modules"]
            + (own + others).filter { files.fileExists(atPath: $0) }
            .flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] }
    }()
}
