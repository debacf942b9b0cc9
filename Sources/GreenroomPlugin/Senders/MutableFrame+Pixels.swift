extension MutableFrame {
    /// All bytes of a plane, padding between rows included; empty for a plane that the format does
    /// not have. To read, use ``readOnlyPlane(_:)``.
    @_lifetime(&self)
    public mutating func plane(_ plane: Int) -> MutableRawSpan {
        let bytes = bytes(ofPlane: plane)
        return unsafe _overrideLifetime(MutableRawSpan(_unsafeBytes: bytes), mutating: &self)
    }

    /// All bytes of a plane, to read. Several spans may read the frame at a time.
    @_lifetime(borrow self)
    public func readOnlyPlane(_ plane: Int) -> RawSpan {
        let bytes = UnsafeRawBufferPointer(bytes(ofPlane: plane))
        return unsafe _overrideLifetime(RawSpan(_unsafeBytes: bytes), borrowing: self)
    }

    /// The pixel bytes of a row, to write; empty for a row or plane that the frame does not have.
    ///
    /// Declare it with `var`: the compiler allocates memory for each mutable span in a `let`. To read, use
    /// ``readOnlyRow(_:ofPlane:)``.
    ///
    /// - Parameters:
    ///   - row: The row of the plane, from 0 at the top.
    ///   - plane: The plane, from 0.
    @_lifetime(&self)
    public mutating func row(_ row: Int, ofPlane plane: Int = 0) -> MutableSpan<UInt8> {
        let bytes = bytes(ofRow: row, plane)
        return unsafe _overrideLifetime(MutableSpan(_unsafeElements: bytes), mutating: &self)
    }

    /// The pixel bytes of a row, to read; empty for a row or plane that the frame does not have.
    ///
    /// You may read several rows at a time: the neighbours of a pixel are in three rows.
    ///
    /// - Parameters:
    ///   - row: The row of the plane, from 0 at the top.
    ///   - plane: The plane, from 0.
    @_lifetime(borrow self)
    public func readOnlyRow(_ row: Int, ofPlane plane: Int = 0) -> Span<UInt8> {
        let bytes = UnsafeBufferPointer(bytes(ofRow: row, plane))
        return unsafe _overrideLifetime(Span(_unsafeElements: bytes), borrowing: self)
    }

    /// Sets every pixel byte of a plane: luma to a grey, or chroma to 128 for no colour.
    public mutating func fill(plane: Int, with value: UInt8) {
        for y in 0..<geometry(ofPlane: plane).rows {
            var row = row(y, ofPlane: plane)
            row.update(repeating: value)
        }
    }

    /// Copies bytes into a row, from its left end. Bytes that do not fit are dropped.
    ///
    /// - Parameters:
    ///   - bytes: The row's pixels; an array's are `bytes.span.bytes`.
    ///   - row: The row of the plane, from 0 at the top.
    ///   - plane: The plane, from 0.
    public mutating func copy(_ bytes: RawSpan, toRow row: Int, ofPlane plane: Int = 0) {
        var row = self.row(row, ofPlane: plane)
        row.withUnsafeMutableBufferPointer { row in
            bytes.withUnsafeBytes { bytes in
                UnsafeMutableRawBufferPointer(row).copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: bytes.prefix(row.count)))
            }
        }
    }

    private func bytes(ofPlane plane: Int) -> UnsafeMutableRawBufferPointer {
        let memory = indices.contains(plane) ? planes[plane] : .none
        return UnsafeMutableRawBufferPointer(start: memory.start, count: memory.byteCount)
    }

    private func bytes(ofRow row: Int, _ plane: Int) -> UnsafeMutableBufferPointer<UInt8> {
        let geometry = geometry(ofPlane: plane)
        guard (0..<geometry.rows).contains(row), let start = planes[plane].start else {
            return UnsafeMutableBufferPointer(start: nil, count: 0)
        }
        // The product fits: the last row was checked to lie within the plane.
        return UnsafeMutableBufferPointer(
            start: (start + row * planes[plane].stride).assumingMemoryBound(to: UInt8.self),
            count: geometry.rowBytes)
    }
}
