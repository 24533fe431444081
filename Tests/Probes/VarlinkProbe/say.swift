// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Glibc

/// Writes a line at once, unlike print(_:), which buffers in a pipe.
func say(_ line: String) {
    let text = line + "\n"
    write(STDOUT_FILENO, text, text.utf8.count)
}
