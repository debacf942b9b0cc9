import CMicroHTTPD
import Foundation
import Glibc
import GreenroomPlugin
import Synchronization

/// The certificate of the page's server: two files in PEM, which are read again when they change.
final class ServerCertificate: Sendable {
    /// A certificate as the server has it.
    ///
    /// Safe to share: nobody but its holder uses it, and it is handed over once.
    private struct Handle: @unchecked Sendable {
        let pointer: OpaquePointer
    }

    /// The identity of a file's content.
    private struct Stamp: Equatable {
        var file: UInt64
        var size: Int64
        var seconds: Int
        var nanoseconds: Int

        /// - Returns: nil for no file.
        init?(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            file = UInt64(status.st_ino)
            size = Int64(status.st_size)
            (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
        }
    }

    private struct State {
        var stamps: [Stamp?]
        /// The first certificate, until the server owns it.
        var first: Handle?
    }

    /// No chain is longer.
    private static let longest = 1 << 20

    private let paths: (certificate: String, key: String)
    private let host: PluginHost
    private let state: Mutex<State>

    /// - Returns: nil without a path.
    /// - Throws: `PluginError` if the files do not fit.
    init?(_ certificate: String, key: String, host: PluginHost) throws {
        guard !certificate.isEmpty || !key.isEmpty else { return nil }
        guard !certificate.isEmpty, !key.isEmpty else {
            throw PluginError(
                "certificate and key: one is missing: set both to files in PEM", status: .badSetting
            )
        }
        (paths, self.host) = ((certificate, key), host)
        let stamps = [Stamp(certificate), Stamp(key)]
        state = Mutex(State(stamps: stamps, first: try Self.read(certificate, key)))
    }

    deinit {
        if let first = state.withLock({ $0.first.take() }) {
            greenroom_mhd_certificate_free(first.pointer)
        }
    }

    /// Transfers the certificate to a server, which frees it.
    func take() -> OpaquePointer? {
        if let first = state.withLock({ $0.first.take() }) { return first.pointer }
        return try? Self.read(paths.certificate, paths.key).pointer
    }

    /// A new certificate, which the caller then owns; nil unless the files have changed and are valid.
    func changed() -> OpaquePointer? {
        let stamps = [Stamp(paths.certificate), Stamp(paths.key)]
        let isOther = state.withLock { state in
            defer { state.stamps = stamps }
            return state.stamps != stamps
        }
        guard isOther else { return nil }
        do {
            let new = try Self.read(paths.certificate, paths.key)
            host.log(.info, "certificate: reloaded")
            return new.pointer
        } catch {
            // Two files change one after the other; the second change is looked at again.
            host.log(
                .warning,
                "\((error as? PluginError)?.text ?? "\(error)"); keeping the old certificate")
            return nil
        }
    }

    private static func read(_ certificate: String, _ key: String) throws -> Handle {
        let chain = try bytes(of: certificate, "certificate")
        let keyText = try bytes(of: key, "key")
        var why: UnsafePointer<CChar>?
        let made = chain.withUnsafeBytes { chain in
            keyText.withUnsafeBytes { key -> OpaquePointer? in
                guard let chainStart = chain.baseAddress, let keyStart = key.baseAddress else {
                    return nil
                }
                return greenroom_mhd_certificate_read(
                    chainStart, chain.count, keyStart, key.count, &why)
            }
        }
        guard let made else {
            throw PluginError(
                "certificate: \(why.map { String(cString: $0) } ?? "a file is empty"): set certificate "
                    + "and key to files in PEM that belong together", status: .badSetting)
        }
        return Handle(pointer: made)
    }

    private static func bytes(of path: String, _ setting: String) throws -> Data {
        guard let file = fopen(path, "re") else {
            throw PluginError(
                "\(setting): can't read \(path): \(String(cString: strerror(errno)))",
                status: .badSetting)
        }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: longest)
        let count = fread(&bytes, 1, longest, file)
        return Data(bytes.prefix(count))
    }
}
