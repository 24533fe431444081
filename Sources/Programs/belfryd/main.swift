// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Belfry
internal import BelfryCacheFlush
internal import BelfryConfiguration
internal import BelfryLinux
internal import BelfrySocket
internal import Glibc

let about = """
    Delivers what happens to a Linux service as lifecycle notifications. 'belfryctl'
    inspects and controls a running belfryd.
    """
var options = ServiceOptions(
    name: "belfryd", fileName: "belfry", version: BelfryVersion.current, about: about, arguments: CommandLine.arguments)
let scope = ApplicationScope(environment: Environment.variables, uid: geteuid())
if options.configurationFiles == nil {
    options.checkOtherFiles = { [instance = options.instance] account in
        // An instance is asked for its application alone.
        if let instance {
            return ApplicationFile.exists(instance, in: scope)
                ? ApplicationCheck(instance, in: scope, account: account).diagnostics : []
        }
        return ListenerCheck(account: account).diagnostics + ApplicationCheck(in: scope, account: account).diagnostics
    }
}
options.application = options.instance.flatMap { ApplicationFile($0, in: scope).settings }
ServiceMain.run(options, with: [.socket, .application, .cacheFlush])
