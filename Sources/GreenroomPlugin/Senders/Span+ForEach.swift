// `Span` does not conform to `Sequence`: `for value in row` does not compile.

extension Span where Element: BitwiseCopyable {
    /// Calls a function with each element in order.
    ///
    /// It is as fast as a loop over `indices`, and allocates nothing.
    @inlinable
    public func forEach<Failure: Error>(
        _ body: (Element) throws(Failure) -> Void
    ) throws(Failure) {
        for index in indices { try body(self[unchecked: index]) }
    }
}

extension MutableSpan where Element: BitwiseCopyable {
    /// Calls a function with each element in order.
    ///
    /// It is as fast as a loop over `indices`, and allocates nothing.
    @inlinable
    public func forEach<Failure: Error>(
        _ body: (Element) throws(Failure) -> Void
    ) throws(Failure) {
        for index in indices { try body(self[unchecked: index]) }
    }
}
