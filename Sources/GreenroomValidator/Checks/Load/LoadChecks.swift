extension Catalogue {
    static let loadChecks: [Check] = [
        loads, dependencies, symbols, exports, memory, entry, descriptors, steadfast, quiet,
        extensions,
        leaks,
    ]
}
