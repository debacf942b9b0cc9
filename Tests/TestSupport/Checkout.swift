import Glibc

/// The paths of the sources and the build products.
public enum Checkout {
    /// The folder of `Package.swift`.
    public static let root: String = {
        // <root>/Tests/TestSupport/Checkout.swift
        var folder = Substring(#filePath)
        for _ in 0..<3 {
            folder = folder.prefix(upTo: folder.lastIndex(of: "/") ?? folder.endIndex)
        }
        return String(folder)
    }()

    /// The folder of `greenroom/plugin.h`'s folder, for a C compiler's `-I`.
    public static let include = root + "/Sources/GreenroomABI/include"

    /// The folder of the build products: that of the running tests, which is right for release and
    /// sanitizer builds and scratch paths; else the default.
    public static let products: String = {
        let resolved = realpath("/proc/self/exe", nil)
        defer { free(resolved) }
        let program = resolved.map { String(cString: $0) } ?? ""
        let folder = String(program.prefix(upTo: program.lastIndex(of: "/") ?? program.startIndex))
        return access(folder + "/greenroom", X_OK) == 0 ? folder : root + "/.build/debug"
    }()

    /// The `greenroom` command.
    public static let greenroom = products + "/greenroom"
}
