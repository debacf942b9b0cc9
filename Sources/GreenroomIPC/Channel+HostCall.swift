import Glibc
package import GreenroomABI
import GreenroomMedia
package import GreenroomPluginInterface

// A plugin's calls as messages: a header, the value that the call points to, and a text or samples. The
// answer begins with the status.

/// The beginning of a call's message.
private struct HostCallHeader: BitwiseCopyable {
    var handle: UInt64
    var numbers: (UInt64, UInt64, UInt64)
    /// The lease of a lent frame that the plugin does not use; 0 if none.
    var unused: UInt64
    /// 0 for NULL.
    var hasText: UInt32
    var hasValue: UInt32
}

extension Channel {
    // MARK: The plugin's process

    /// Passes a call to the host, and copies the results into the plugin's memory.
    ///
    /// - Parameters:
    ///   - unused: The lease of a lent frame that the plugin does not use; 0 if none.
    ///   - serve: Serves a call of the host, as for ``call(_:length:serve:)``.
    package func pass(
        _ call: HostCall, unused: UInt64 = 0,
        serve: (RemoteCall, Int) -> Int? = { _, _ in nil }
    ) -> gr_status {
        let facts = call.function.facts
        let length = write(call, facts, unused: unused)
        guard self.call(RemoteCall(call.function), length: length, serve: serve) != nil else {
            return Status.gone.rawValue
        }
        let status: gr_status = read()
        if status == Status.ok.rawValue { copyResults(to: call, facts) }
        return status
    }

    /// Writes a call to the message.
    ///
    /// - Returns: The message's length.
    package func write(_ call: HostCall) -> Int { write(call, call.function.facts, unused: 0) }

    private func write(_ call: HostCall, _ facts: HostFunction.Facts, unused: UInt64) -> Int {
        write(
            HostCallHeader(
                handle: call.handle, numbers: call.numbers, unused: unused,
                hasText: call.textAddress == 0 ? 0 : 1, hasValue: call.valueAddress == 0 ? 0 : 1))
        var length = MessageLayout.samples
        if let value = facts.value, value.isRead, write(value, of: call) {
            if call.function == .audioSend { length += writeSamples() }
            if call.function == .caption { length += writeCaption() }
        }
        if facts.textLimit > 0, let text = call.text {
            length += write(text, limit: facts.textLimit, at: length)
        }
        return length
    }

    /// Copies the call's value to the message. Copies only the size of a struct that is too small, which
    /// the host refuses.
    ///
    /// - Returns: Whether the value was copied.
    private func write(_ value: HostFunction.Value, of call: HostCall) -> Bool {
        guard let from = UnsafeRawPointer(bitPattern: call.valueAddress) else { return false }
        let isWhole = !value.isSized || from.loadUnaligned(as: UInt32.self) >= value.byteCount
        let count = isWhole ? value.byteCount : MemoryLayout<UInt32>.size
        _ = write(UnsafeRawBufferPointer(start: from, count: count), at: MessageLayout.value)
        return isWhole
    }

    private func write(_ text: UnsafePointer<CChar>, limit: Int, at offset: Int) -> Int {
        write(UnsafeRawBufferPointer(start: text, count: strnlen(text, limit)), at: offset)
    }

    /// Copies as many samples as the block in the message declares. The host refuses more than its limit.
    private func writeSamples() -> Int {
        let block = read(gr_audio_block.self, at: MessageLayout.value)
        let bytes = UInt64(block.frame_count) * UInt64(block.channels) * 2
        guard let samples = block.samples, bytes <= block.size_bytes,
            bytes <= UInt64(message.count - MessageLayout.samples)
        else { return 0 }
        return write(
            UnsafeRawBufferPointer(start: samples, count: Int(bytes)), at: MessageLayout.samples)
    }

    /// Copies the texts of the caption in the message: the speaker with its NUL, and the text.
    private func writeCaption() -> Int {
        let caption = read(gr_caption.self, at: MessageLayout.value)
        var end = MessageLayout.samples
        if let speaker = caption.speaker {
            end += write(speaker, limit: Limits.nameBytes, at: end)
            write(UInt8(0), at: end)
            end += 1
        }
        if UInt(bitPattern: caption.text) != 0 {
            end += write(caption.text, limit: Int(GR_MAX_CAPTION) + 1, at: end)
        }
        return end - MessageLayout.samples
    }

    /// Copies the results of an accepted call into the plugin's memory.
    private func copyResults(to call: HostCall, _ facts: HostFunction.Facts) {
        guard let value = facts.value, value.isWritten,
            let to = UnsafeMutableRawPointer(bitPattern: call.valueAddress)
        else { return }
        // The size of a struct is the plugin's.
        let skipped = value.isSized ? MemoryLayout<UInt32>.size : 0
        let written = MessageLayout.value + skipped..<MessageLayout.value + value.byteCount
        UnsafeMutableRawBufferPointer(start: to + skipped, count: written.count)
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: message[written]))
        guard facts.writesText, call.numbers.0 > 0,
            let buffer = UnsafeMutablePointer<CChar>(bitPattern: call.textAddress)
        else { return }
        let text = UnsafeRawBufferPointer(message)[MessageLayout.samples...].prefix(
            min(
                Int(clamping: read(UInt64.self, at: MessageLayout.value)),
                Int(clamping: call.numbers.0) - 1))
        UnsafeMutableRawBufferPointer(start: buffer, count: text.count)
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: text))
        buffer[text.count] = 0
    }

    // MARK: The host's process

    /// Performs the call in the message, and writes the answer.
    ///
    /// Copies each value once: the plugin's process may change the message meanwhile.
    ///
    /// - Parameters:
    ///   - length: The length of the message.
    ///   - perform: Performs the call, whose pointers are valid until it returns. Receives the lease of a
    ///     lent frame that the plugin does not use, or 0. Returns nil if the plugin's process is lost.
    /// - Returns: The length of the answer; nil if the plugin's process is lost.
    package func serve(
        _ function: HostFunction, length: Int,
        _ perform: (inout HostCall, _ unused: UInt64) -> gr_status?
    ) -> Int? {
        let facts = function.facts
        let header = read(HostCallHeader.self)
        let valueCount = facts.value.map { ($0.byteCount + 7) / 8 * 8 } ?? 0
        let textCount = max(
            0,
            min(length, message.count, MessageLayout.samples + facts.textLimit)
                - MessageLayout.samples)
        // Two NULs end the texts of a caption.
        let byteCount = valueCount + textCount + 2
        return withUnsafeTemporaryAllocation(byteCount: byteCount, alignment: 8) { memory -> Int? in
            guard let value = memory.baseAddress, let message = message.baseAddress else {
                return nil
            }
            let text = value + valueCount
            value.copyMemory(from: message + MessageLayout.value, byteCount: valueCount)
            text.copyMemory(from: message + MessageLayout.samples, byteCount: textCount)
            text.storeBytes(of: 0, toByteOffset: textCount, as: UInt16.self)
            var call = HostCall(
                function, header.handle, header.numbers.0, header.numbers.1, header.numbers.2,
                text: header.hasText != 0 ? UInt(bitPattern: text) : 0,
                value: header.hasValue != 0 ? UInt(bitPattern: value) : 0)
            if facts.writesText {
                let room = UInt64(Channels.messageByteCount - MessageLayout.samples)
                call.numbers.0 = min(call.numbers.0, room)
                call.textAddress =
                    header.hasText != 0 ? UInt(bitPattern: message + MessageLayout.samples) : 0
            }
            if header.hasValue != 0 {
                if function == .audioSend {
                    place(value.assumingMemoryBound(to: gr_audio_block.self))
                }
                if function == .caption {
                    place(
                        value.assumingMemoryBound(to: gr_caption.self),
                        text.assumingMemoryBound(to: CChar.self), textCount)
                }
            }
            guard let status = perform(&call, header.unused) else { return nil }
            write(status)
            guard status == Status.ok.rawValue, let facts = facts.value, facts.isWritten else {
                return MessageLayout.samples
            }
            _ = write(
                UnsafeRawBufferPointer(start: value, count: facts.byteCount),
                at: MessageLayout.value)
            return MessageLayout.samples
        }
    }

    /// Points a block to the samples in the message.
    private func place(_ block: UnsafeMutablePointer<gr_audio_block>) {
        guard let samples = block.pointee.samples else { return }
        // Keep an odd address odd, so that the host refuses it, as for a plugin in the host's process.
        let offset = MessageLayout.samples + (UInt(bitPattern: samples) % 2 == 0 ? 0 : 1)
        block.pointee.samples = message.baseAddress.map {
            UnsafePointer(($0 + offset).assumingMemoryBound(to: Int16.self))
        }
        // Limit the block to the message's size.
        block.pointee.size_bytes = min(
            block.pointee.size_bytes, UInt64(Channels.messageByteCount - offset))
    }

    /// Points a caption to copies of its texts.
    private func place(
        _ caption: UnsafeMutablePointer<gr_caption>, _ texts: UnsafeMutablePointer<CChar>,
        _ count: Int
    ) {
        var text = texts
        if caption.pointee.speaker != nil {
            caption.pointee.speaker = UnsafePointer(texts)
            text += min(strnlen(texts, count) + 1, count)
        }
        if UInt(bitPattern: caption.pointee.text) != 0 {
            caption.pointee.text = UnsafePointer(text)
        }
    }
}
