// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Why something could not be encoded or decoded, as the operator shall read it: the path, then the reason.
nonisolated struct CodingReason: CustomStringConvertible {
    let description: String

    init(_ error: any Error) {
        description =
            switch error {
            case DecodingError.keyNotFound(_, let context), DecodingError.valueNotFound(_, let context),
                DecodingError.typeMismatch(_, let context), DecodingError.dataCorrupted(let context):
                Self.text(context.codingPath, context.debugDescription)
            case EncodingError.invalidValue(_, let context): Self.text(context.codingPath, context.debugDescription)
            default: "\(error)"
            }
    }

    /// `windows[2].title: expected String, found null`.
    private static func text(_ path: [any CodingKey], _ reason: String) -> String {
        let place = path.reduce(into: "") { place, key in
            if let index = key.intValue {
                place += "[\(index)]"
            } else {
                place += place.isEmpty ? key.stringValue : "." + key.stringValue
            }
        }
        return place.isEmpty ? reason : "\(place): \(reason)"
    }
}
