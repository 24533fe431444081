// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What a notification carries besides its name: values by key.
public typealias UserInfo = [String: UserInfoValue]
