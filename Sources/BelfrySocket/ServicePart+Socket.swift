// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

public import Belfry

extension ServicePart {
    /// The Varlink socket with `io.belfry.Lifecycle`: what belfryctl talks to, and what programs subscribe to, post to and
    /// hold the service by. `[Socket]` in the configuration says where it is and who may use it.
    public nonisolated static var socket: ServicePart { ServicePart("socket") { try SocketPart($0) } }
}
