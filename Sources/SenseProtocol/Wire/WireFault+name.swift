extension WireFault {
    /// Short name, as in the vectors and in metrics.
    public var name: String {
        switch self {
        case .truncated: "truncated"
        case .overlongVarint: "overlongVarint"
        case .invalidFieldNumber: "invalidFieldNumber"
        case .invalidWireType: "invalidWireType"
        case .wrongWireType: "wrongWireType"
        case .unmatchedGroup: "unmatchedGroup"
        case .invalidUTF8: "invalidUTF8"
        case .unevenPackedLength: "unevenPackedLength"
        case .overLimit: "overLimit"
        case .invalidJSON: "invalidJSON"
        case .wrongJSONValue: "wrongJSONValue"
        case .duplicateJSONField: "duplicateJSONField"
        }
    }
}
