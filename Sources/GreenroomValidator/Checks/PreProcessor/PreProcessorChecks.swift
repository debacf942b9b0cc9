extension Catalogue {
    static let preProcessorChecks: [Check] = [
        filterSizes, filterPlanes, filterMetadata, filterIdentity, filterLayout, filterChange,
        filterCost, filterMediaPath,
    ]
}
