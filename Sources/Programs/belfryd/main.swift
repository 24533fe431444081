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
let application = options.instance.map { ApplicationFile($0, in: .ofProcess) }
if options.configurationFiles == nil {
    options.checkOtherFiles = { [instance = options.instance, isThere = application?.file.isThere] account in
        // An instance is asked for its application alone.
        if let instance {
            return isThere == true ? ApplicationCheck(instance, in: .ofProcess, account: account).diagnostics : []
        }
        return ListenerCheck(account: account).diagnostics
            + ApplicationCheck(in: .ofProcess, account: account).diagnostics
    }
}
options.application = application?.settings
ServiceMain.run(options, with: [.socket, .application, .cacheFlush])
