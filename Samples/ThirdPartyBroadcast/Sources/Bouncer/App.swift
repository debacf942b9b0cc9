import Glibc
import GreenroomBroadcast

/// Shares to the host at a socket; waits for it, and comes again if it goes without a word.
@main
struct App {
    static func main() {
        guard CommandLine.arguments.count == 2 else {
            print("usage: Bouncer SOCKET")
            exit(64)
        }
        while true {
            do throws(BroadcastError) {
                try Broadcast.run(to: CommandLine.arguments[1], Bouncer.self, Beeps.self)
                print("the share is over")
                return
            } catch {
                print(error)
                guard error.isTemporary else { exit(1) }
                sleep(1)
            }
        }
    }
}
