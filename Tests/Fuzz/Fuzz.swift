import Glibc

/// Reads what comes from outside, as the host and its plugins do. Each target has the bytes of one
/// input, and must neither crash nor hang.
private let targets: [String: @Sendable ([UInt8]) -> Void] = [
    "calls": { _ = ProcessTarget.rig?.serve($0) },
    "messages": ProcessTarget.receive,
    "wire": ProcessTarget.read,
    "session-file": TextTarget.sessionFile,
    "control-lines": TextTarget.controlLines,
    "offer": TextTarget.offer,
    "candidates": TextTarget.candidates,
    "request": TextTarget.request,
    "y4m": FileTarget.y4m,
    "sound": FileTarget.sound,
    "image": FileTarget.image,
    "key-frame": FileTarget.keyFrame,
]

/// The target that `GREENROOM_FUZZ_TARGET` names.
private let target: @Sendable ([UInt8]) -> Void = {
    let name = getenv("GREENROOM_FUZZ_TARGET").map { String(cString: $0) } ?? ""
    guard let target = targets[name] else {
        print("fuzz: GREENROOM_FUZZ_TARGET is one of \(targets.keys.sorted())")
        exit(64)
    }
    return target
}()

/// What libFuzzer calls.
@c(LLVMFuzzerTestOneInput)
public func fuzzOneInput(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    target(Array(UnsafeBufferPointer(start: data, count: count)))
    return 0
}
