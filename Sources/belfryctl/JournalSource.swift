// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser

/// Whose records are read. `history` and `plot` have this.
struct JournalSource: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The service, as the journal calls it (SYSLOG_IDENTIFIER), or its unit: 'video@1.service'.",
            discussion: """
                Without it the one at --socket or $BELFRY_SOCKET, which has to run to be asked for its name, else \
                belfryd.
                """, valueName: "name"))
    var service: String?
}
