// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// A service of three listeners: a socket for programs in any language, a cache that is flushed, and the logger of every
// service.

internal import Belfry
internal import BelfryCacheFlush
internal import BelfryConfiguration
internal import BelfrySocket

let about = """
    Delivers what happens to a Linux service as lifecycle notifications. 'belfryctl'
    inspects and controls a running belfryd.
    """
var options = ServiceOptions(
    name: "belfryd", fileName: "belfry", version: ReleaseVersion.current, about: about, arguments: CommandLine.arguments
)
options.readApplication()
ServiceMain.run(options, with: [.socket, .cacheFlush, .application])
