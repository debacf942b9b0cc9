package import GreenroomMedia

extension JSON {
    /// A setting's value.
    package init(_ value: ParameterValue) {
        self =
            switch value {
            case .boolean(let value): .boolean(value)
            case .integer(let value): .integer(value)
            case .number(let value): .number(value)
            case .string(let value): .string(value)
            }
    }
}
