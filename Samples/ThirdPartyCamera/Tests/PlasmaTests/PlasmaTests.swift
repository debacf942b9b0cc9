import Foundation
import GreenroomValidator
import Testing

@Test func `the camera passes the validator`() throws {
    // A package builds its library beside the program that runs its tests.
    let products = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent()
    let library = products.appending(path: "libPlasma.so").path(percentEncoded: false)
    for report in try Validator().validate(library) {
        let faults = report.results.filter(\.outcome.isFault)
        #expect(faults.isEmpty, "\(faults.map { "\($0.check): \($0.text)" })")
    }
}
