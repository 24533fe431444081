// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// One run of an encoder: what all its parts share. `Encoder.container` cannot throw, so what goes wrong there waits
/// here for the end.
nonisolated final class JSONEncoding {
    let maximumDepth: Int
    private(set) var failure: EncodingError?

    init(maximumDepth: Int) { self.maximumDepth = maximumDepth }

    func note(_ failure: EncodingError) { self.failure = self.failure ?? failure }
}
