// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryCommandLine

CommandProgram.main(Belfryctl.self)
