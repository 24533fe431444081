// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Belfry
internal import BelfryCacheFlush
internal import BelfryConfiguration
internal import BelfrySocket

let about = """
    Delivers what happens to a Linux service as lifecycle notifications. 'belfryctl'
    inspects and controls a running belfryd.
    """
var options = ServiceOptions(
    name: "belfryd", fileName: "belfry", version: BelfryVersion.current, about: about, arguments: CommandLine.arguments)
if options.configurationFiles == nil { options.checkOtherFiles = { ListenerCheck(account: $0).diagnostics } }
ServiceMain.run(options, with: [.socket, .cacheFlush])
