import Glibc

extension Action {
    /// Starts threads with small stacks, which stay.
    static func startResting(_ count: Int) -> Int32 {
        let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
        pthread_attr_init(attributes)
        pthread_attr_setstacksize(attributes, 1 << 16)
        for _ in 0..<count {
            var thread = pthread_t()
            let rest: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { _ in
                while true { pause() }
            }
            let result = pthread_create(&thread, attributes, rest, nil)
            guard result == 0 else { return result }
        }
        return 0
    }
}
