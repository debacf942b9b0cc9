extension Y4MWriter: @unchecked Sendable {}
extension WAVWriter: @unchecked Sendable {}
