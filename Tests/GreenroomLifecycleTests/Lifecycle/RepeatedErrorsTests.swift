@testable import GreenroomLifecycle
import Testing

/// The errors that a restarted plugin logs again.
@Suite struct RepeatedErrorsTests {
    /// - Returns: The lines that are logged in each life.
    private func logged(_ lives: [[String]]) -> [[String]] {
        var errors = RepeatedErrors()
        return lives.map { life in
            errors.beginLife()
            return life.flatMap { errors.add($0) }
        }
    }

    @Test func `the same errors are logged once for all lives`() {
        let error = ["Traceback", "a.py, line 1", "ValueError"]
        #expect(logged([error, error, error]) == [error, [], []])
        #expect(logged([error, [], error]) == [error, [], []])
    }

    @Test func `another error is logged as a whole, although it begins the same`() {
        let other = ["Traceback", "a.py, line 2", "ValueError"]
        let error = ["Traceback", "a.py, line 1", "ValueError"]
        #expect(logged([error, other, other]) == [error, other, []])
        #expect(logged([error, error + other]) == [error, other])
        #expect(logged([error, other, error]) == [error, other, error])
    }
}
