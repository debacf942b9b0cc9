package import GreenroomModel
import FoundationEssentials

extension EventRecord {
    /// - Parameter json: A line; nil for another one.
    package init?(json: String) {
        guard let record = try? JSONDecoder().decode(EventRecord.self, from: Data(json.utf8)) else {
            return nil
        }
        self = record
    }
}
