// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry

/// The section `[Worker]` of worker.conf.
nonisolated struct WorkerSettings: Sendable {
    /// The directory of the files.
    var directory = "/var/lib/worker/jobs"
    /// The largest job.
    var sizeMax = ByteSize(bytes: 4095)
}

nonisolated extension WorkerSettings: Decodable {
    private enum CodingKeys: CodingKey { case directory, sizeMax }

    init(from decoder: any Decoder) throws {
        self.init()
        let values = try decoder.container(keyedBy: CodingKeys.self)
        directory = try values.decodeIfPresent(String.self, forKey: .directory) ?? directory
        sizeMax = try values.decodeIfPresent(ByteSize.self, forKey: .sizeMax) ?? sizeMax
        guard 1...4095 ~= sizeMax.bytes else {
            // It is reported with the file and the line.
            throw DecodingError.dataCorruptedError(forKey: .sizeMax, in: values, debugDescription: "not 1 to 4095")
        }
    }
}
