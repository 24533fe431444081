// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The description of `io.systemd.service`, which is systemd's: its own services have it too.
nonisolated let systemdServiceInterfaceText = """
    # What every service of systemd can be asked for.
    interface io.systemd.service

    # Whether the service is running.
    method Ping() -> ()

    # Read the configuration anew. The reply comes when it holds, or when it was refused.
    method Reload() -> ()

    # Set the least urgent level that is logged, until the next reload.
    method SetLogLevel(
      # As syslog(3) counts: 0 is emerg, 7 is debug
      level: ?int
    ) -> ()

    # The environment of the process. For root and the service's own user alone: some put secrets there.
    method GetEnvironment() -> (environment: ?[]string)

    # The environment is not what the specification of it says.
    error InconsistentEnvironment()

    """
