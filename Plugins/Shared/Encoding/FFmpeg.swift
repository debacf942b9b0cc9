import CFFmpeg

/// A failed call of FFmpeg's libraries.
package struct FFmpegError: Error, Sendable, CustomStringConvertible {
    /// The call that failed, e.g. `"libvpx: opening the encoder"`.
    package var call: String
    package var code: Int32

    package init(call: String, code: Int32) {
        self.call = call
        self.code = code
    }

    package var description: String { "\(call): \(Self.text(of: code))" }

    package static func text(of code: Int32) -> String {
        var text = [CChar](repeating: 0, count: 128)
        av_strerror(code, &text, text.count)
        let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Throws if a call of FFmpeg's libraries has failed.
@discardableResult
package func check(_ code: Int32, _ call: @autoclosure () -> String) throws(FFmpegError) -> Int32 {
    guard code < 0 else { return code }
    throw FFmpegError(call: call(), code: code)
}

/// Returns what an allocation of FFmpeg's libraries has made.
package func allocated<Value>(_ made: Value?) throws(FFmpegError) -> Value {
    guard let made else {
        throw FFmpegError(call: "allocating", code: Int32(CFFMPEG_NO_MEMORY))
    }
    return made
}

/// Options of FFmpeg's libraries, by name.
package struct FFmpegOptions: ~Copyable {
    package var dictionary: OpaquePointer?

    package init(_ options: [(String, String)]) {
        for (name, value) in options { av_dict_set(&dictionary, name, value, 0) }
    }

    deinit {
        var dictionary = dictionary
        av_dict_free(&dictionary)
    }
}
