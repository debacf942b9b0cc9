import Foundation
import TestSupport

/// `session.json`, decoded independently of the product: every member must be there unless it is
/// optional here.
package struct Report: Decodable {
    package struct Plugin: Decodable {
        package struct Offer: Decodable {
            package var revision: Int
            package var rows: [String]
            package var suggested: String
            package var answer: String?
            package var source: String?
            package var track: String?
        }

        package struct Callback: Decodable {
            package var calls: Int
            package var meanMilliseconds: Double
            package var longestMilliseconds: Double
        }

        package struct Loss: Decodable {
            package var seconds: Double
            package var evidence: String
            package var policy: String
            package var awaySeconds: Double?
        }

        package var role: String
        package var id: String
        package var name: String
        package var version: String
        package var kind: String
        package var state: String
        package var fault: String?
        package var gaveUp: String?
        package var sandbox: [String: String]?
        package var losses: [Loss]?
        package var offer: Offer?
        package var callbacks: [String: Callback]
    }

    package struct VideoReport: Decodable {
        package struct Intervals: Decodable {
            package var count: Int
            package var p50Milliseconds: Double
            package var p99Milliseconds: Double
            package var maximumMilliseconds: Double
        }

        package struct Unprocessed: Decodable {
            package var refused: Int
            package var overdue: Int
            package var lost: Int

            package var total: Int { refused + overdue + lost }
        }

        package struct Output: Decodable {
            package var output: String
            package var rate: String
            package var delivered: Int
            package var delayed: Int
            package var repeated: Int
            package var black: Int
            package var slate: Int
            package var excess: Int
            package var queueFull: Int
            package var beforeStart: Int
            package var afterEnd: Int
            package var unwanted: Int
            package var unconvertible: Int
            package var failed: Int
            package var queued: Int
            package var departure: Intervals
            package var lateness: Intervals?
            package var failure: String?

            /// A file of a recording whose size has changed.
            package struct Piece: Decodable {
                package var file: String
                package var size: String
                package var firstFrame: Int
            }

            /// The files of a recording whose size has changed, in order; nil for one file.
            package var pieces: [Piece]?

            /// Periods, which is the number of frames in it.
            package var periods: Int { delivered + repeated + black + slate }
        }

        package var track: String
        package var account: Account
        package var capability: String
        package var sent: Int
        package var accepted: Int
        package var leased: Int
        package var refused: [String: Int]
        package var refusedCalls: [String: Int]
        package var abandoned: Int
        package var bytesCopied: Int
        package var superseded: Int
        package var discarded: Int
        package var stamps: Stamps
        package var queued: Int
        package var overRate: Int
        package var unconvertible: Int
        package var withheld: Int
        package var carried: Int
        package var unedited: Int
        package var unprocessed: Unprocessed
        package var conversions: Int
        package var bytesConverted: Int
        package var allocations: Int?
        package var arrival: Intervals
        package var staleRevision: Int
        package var negotiation: [Negotiation]
        package var negotiationsLeftOut: Int
        package var outputs: [Output]
    }

    /// How much of a track was real.
    package struct Account: Decodable {
        package var total: Int
        package var real: Int
        package var late: Int?
        package var unedited: Int?
        package var repeated: Int?
        package var slate: Int?
        package var concealed: Int?
        package var missing: Int
        package var stopped: Int
        package var realPercent: Double?

        /// The sum of all kinds.
        package var kinds: Int {
            real + missing + stopped
                + [late, unedited, repeated, slate, concealed].compactMap(\.self).reduce(0, +)
        }
    }

    package struct Negotiation: Decodable {
        package struct Ceiling: Decodable {
            package var origin: String
            package var limit: String
            package var since: Double
            package var binds: Bool
        }

        package var revision: Int
        package var seconds: Double
        package var reason: String
        package var suggested: String
        package var answer: String?
        package var source: String?
        package var track: String?
        package var ceilings: [Ceiling]
        package var framesUntilFollowed: Int?
    }

    package struct Stamps: Decodable {
        package var missing: Int
        package var backward: Int
        package var foreign: Int
        package var jumps: Int
        package var driftPPM: Double?
    }

    package struct Filters: Decodable {
        package var edited: Int
        package var refused: Int
        package var overdue: Int
        package var lost: Int
        package var silenced: Int
    }

    package struct Audio: Decodable {
        package var role: String
        package var account: Account
        package var sent: Int
        package var accepted: Int
        package var refused: [String: Int]
        package var resampled: Int
        package var bytesCopied: Int
        package var frames: Int
        package var played: Int
        package var queued: Int
        package var beforeStart: Int
        package var cut: Int
        package var filters: Filters?
        package var concealed: Int
        package var idle: Int
        package var muted: Int
        package var overfedPercent: Double?
        package var underfedPercent: Double?
        package var driftPPM: Double?
        package var stamps: Stamps
        package var peakDBFS: Double?
        package var clippedSamples: Int
        package var dcOffset: Double
    }

    package struct AudioFile: Decodable {
        package var output: String
        package var written: Int
        package var lost: Int
        package var failure: String?
    }

    package struct OutputPlugin: Decodable {
        package struct Track: Decodable {
            package struct Media: Decodable {
                package var taken: Int
                package var refused: [String: Int]
                package var away: Int
                package var noBuffer: Int
                package var lostSamples: Int?
            }

            package var track: String
            package var want: String
            package var media: Media
        }

        package var role: String
        package var plugin: String
        package var tracks: [Track]
        package var kept: Int
        package var values: [String: Double]
    }

    /// Somebody whom a call has brought.
    package struct Participant: Decodable {
        package struct Track: Decodable {
            package var track: String
            package var beganSeconds: Double
            package var endedSeconds: Double?
            package var video: VideoReport?
            package var audio: Audio?
        }

        package var name: String
        package var joinedSeconds: Double
        package var leftSeconds: Double?
        package var tracks: [Track]
    }

    package var greenroom: String
    package var session: String
    package var outcome: String
    package var failedPlugin: String?
    package var notReal: [String]?
    package var plugins: [Plugin]
    package var videoTracks: [VideoReport]
    package var audioTracks: [Audio]
    package var audioFiles: [AudioFile]
    package var outputPlugins: [OutputPlugin]?
    package var participants: [Participant]?

    package init(_ path: String) throws {
        do {
            self = try JSONDecoder().decode(Report.self, from: Data(try readFile(path)))
        } catch let error as DecodingError {
            throw Failure("\(path): \(error)")
        }
    }

    /// The plugin with a role, e.g. `"camera"`.
    package func plugin(_ role: String) throws -> Plugin {
        guard let plugin = plugins.first(where: { $0.role == role }) else {
            throw Failure("the report has no plugin \(role): \(plugins.map(\.role))")
        }
        return plugin
    }

    /// The video of a track.
    package func picture(_ track: String) throws -> VideoReport {
        guard let picture = videoTracks.first(where: { $0.track == track }) else {
            throw Failure("the report has no picture \(track): \(videoTracks.map(\.track))")
        }
        return picture
    }

    /// The audio of a source.
    package func sound(_ role: String) throws -> Audio {
        guard let sound = audioTracks.first(where: { $0.role == role }) else {
            throw Failure("the report has no sound \(role): \(audioTracks.map(\.role))")
        }
        return sound
    }
}
