// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// A notification's user info is JSON, in the process as on the socket.
@_exported public import BelfryJSON

/// What a notification carries besides its name: values by key, which JSON can express.
public typealias UserInfo = JSONObject
