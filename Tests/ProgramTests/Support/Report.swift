import Foundation
import TestSupport

/// `session.json`, decoded independently of the product: every member must be there unless it is
/// optional here.
struct Report: Decodable {
    struct Plugin: Decodable {
        struct Offer: Decodable {
            var revision: Int
            var rows: [String]
            var suggested: String
            var answer: String?
            var source: String?
            var track: String?
        }

        struct Callback: Decodable {
            var calls: Int
            var meanMilliseconds: Double
            var longestMilliseconds: Double
        }

        struct Loss: Decodable {
            var seconds: Double
            var evidence: String
            var policy: String
            var awaySeconds: Double?
        }

        var role: String
        var id: String
        var name: String
        var version: String
        var kind: String
        var state: String
        var fault: String?
        var gaveUp: String?
        var sandbox: [String: String]?
        var losses: [Loss]?
        var offer: Offer?
        var callbacks: [String: Callback]
    }

    struct VideoReport: Decodable {
        struct Intervals: Decodable {
            var count: Int
            var p50Milliseconds: Double
            var p99Milliseconds: Double
            var maximumMilliseconds: Double
        }

        struct Unprocessed: Decodable {
            var refused: Int
            var late: Int
            var lost: Int

            var total: Int { refused + late + lost }
        }

        struct Output: Decodable {
            var output: String
            var rate: String
            var delivered: Int
            var delayed: Int
            var repeated: Int
            var black: Int
            var slate: Int
            var excess: Int
            var queueFull: Int
            var early: Int
            var late: Int
            var unwanted: Int
            var unconvertible: Int
            var failed: Int
            var queued: Int
            var departure: Intervals
            var lateness: Intervals?
            var failure: String?

            /// A file of a recording whose size has changed.
            struct Piece: Decodable {
                var file: String
                var size: String
                var firstFrame: Int
            }

            /// The files of a recording whose size has changed, in order; nil for one file.
            var pieces: [Piece]?

            /// Periods, which is the number of frames in it.
            var periods: Int { delivered + repeated + black + slate }
        }

        var track: String
        var account: Account
        var capability: String
        var sent: Int
        var accepted: Int
        var leased: Int
        var refused: [String: Int]
        var refusedCalls: [String: Int]
        var abandoned: Int
        var bytesCopied: Int
        var superseded: Int
        var discarded: Int
        var stamps: Stamps
        var queued: Int
        var overRate: Int
        var unconvertible: Int
        var lostInFilter: Int
        var withheld: Int
        var carried: Int
        var unedited: Int
        var unprocessed: Unprocessed
        var conversions: Int
        var bytesConverted: Int
        var allocations: Int?
        var arrival: Intervals
        var staleRevision: Int
        var negotiation: [Negotiation]
        var negotiationsLeftOut: Int
        var outputs: [Output]
    }

    /// How much of a track was real.
    struct Account: Decodable {
        var total: Int
        var real: Int
        var late: Int?
        var unedited: Int?
        var repeated: Int?
        var slate: Int?
        var concealed: Int?
        var missing: Int
        var stopped: Int
        var realPercent: Double?

        /// The sum of all kinds.
        var kinds: Int {
            real + missing + stopped
                + [late, unedited, repeated, slate, concealed].compactMap(\.self).reduce(0, +)
        }
    }

    struct Negotiation: Decodable {
        struct Ceiling: Decodable {
            var origin: String
            var limit: String
            var since: Double
            var binds: Bool
        }

        var revision: Int
        var seconds: Double
        var reason: String
        var suggested: String
        var answer: String?
        var source: String?
        var track: String?
        var ceilings: [Ceiling]
        var framesUntilFollowed: Int?
    }

    struct Stamps: Decodable {
        var missing: Int
        var backward: Int
        var foreign: Int
        var jumps: Int
        var driftPPM: Double?
    }

    struct Filters: Decodable {
        var edited: Int
        var refused: Int
        var late: Int
        var lost: Int
        var silenced: Int
    }

    struct Audio: Decodable {
        var role: String
        var account: Account
        var sent: Int
        var accepted: Int
        var refused: [String: Int]
        var resampled: Int
        var bytesCopied: Int
        var frames: Int
        var played: Int
        var queued: Int
        var early: Int
        var cut: Int
        var filters: Filters?
        var concealed: Int
        var idle: Int
        var muted: Int
        var overfedPercent: Double?
        var underfedPercent: Double?
        var driftPPM: Double?
        var stamps: Stamps
        var peakDBFS: Double?
        var clippedSamples: Int
        var dcOffset: Double
    }

    struct AudioFile: Decodable {
        var output: String
        var written: Int
        var lost: Int
        var failure: String?
    }

    struct OutputPlugin: Decodable {
        struct Track: Decodable {
            struct Media: Decodable {
                var taken: Int
                var refused: [String: Int]
                var away: Int
                var noBuffer: Int
                var lostSamples: Int?
            }

            var track: String
            var want: String
            var media: Media
        }

        var role: String
        var plugin: String
        var tracks: [Track]
        var kept: Int
        var values: [String: Double]
    }

    /// Somebody whom a call has brought.
    struct Participant: Decodable {
        struct Track: Decodable {
            var track: String
            var beganSeconds: Double
            var endedSeconds: Double?
            var video: VideoReport?
            var audio: Audio?
        }

        var name: String
        var joinedSeconds: Double
        var leftSeconds: Double?
        var tracks: [Track]
    }

    var greenroom: String
    var session: String
    var outcome: String
    var failedPlugin: String?
    var notReal: [String]?
    var plugins: [Plugin]
    var videoTracks: [VideoReport]
    var audioTracks: [Audio]
    var audioFiles: [AudioFile]
    var outputPlugins: [OutputPlugin]?
    var participants: [Participant]?

    init(_ path: String) throws {
        do {
            self = try JSONDecoder().decode(Report.self, from: Data(try readFile(path)))
        } catch let error as DecodingError {
            throw Failure("\(path): \(error)")
        }
    }

    /// The plugin with a role, e.g. `"camera"`.
    func plugin(_ role: String) throws -> Plugin {
        guard let plugin = plugins.first(where: { $0.role == role }) else {
            throw Failure("the report has no plugin \(role): \(plugins.map(\.role))")
        }
        return plugin
    }

    /// The video of a track.
    func picture(_ track: String) throws -> VideoReport {
        guard let picture = videoTracks.first(where: { $0.track == track }) else {
            throw Failure("the report has no picture \(track): \(videoTracks.map(\.track))")
        }
        return picture
    }

    /// The audio of a source.
    func sound(_ role: String) throws -> Audio {
        guard let sound = audioTracks.first(where: { $0.role == role }) else {
            throw Failure("the report has no sound \(role): \(audioTracks.map(\.role))")
        }
        return sound
    }
}
