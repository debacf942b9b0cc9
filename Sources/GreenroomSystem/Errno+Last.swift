import Glibc
package import SystemPackage

extension Errno {
    /// The calling thread's `errno`, right after a call that failed.
    package static var last: Errno { Errno(rawValue: errno) }
}

/// Runs calls of swift-system, which throw ``Errno`` alone although their types do not say so.
package func withErrno<Value>(_ body: () throws -> Value) throws(Errno) -> Value {
    do {
        return try body()
    } catch {
        throw error as? Errno ?? .ioError
    }
}
