import Glibc
package import SystemPackage

extension Errno {
    /// The calling thread's `errno`. Read it right after a failed call.
    package static var last: Errno { Errno(rawValue: errno) }
}

/// Runs calls of swift-system, which only throw ``Errno`` although their types don't say so.
package func withErrno<Value>(_ body: () throws -> Value) throws(Errno) -> Value {
    do {
        return try body()
    } catch {
        throw error as? Errno ?? .ioError
    }
}
