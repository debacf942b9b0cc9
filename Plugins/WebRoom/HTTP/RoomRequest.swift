import Foundation
import RoomDecisions

/// A request, read whole.
struct RoomRequest: Sendable {
    let head: RequestHead
    let body: Data

    var method: String { head.method }

    /// The type of the body, in lower case; empty for none.
    var type: String { head["content-type"]?.lowercased() ?? "" }
}
