// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBenchmark
internal import Dispatch
internal import Glibc

// Usage: SignalDispatch PAGE
// Receives signals with Dispatch sources, which report how many came, but neither sender nor value.
let page = benchmark_page_open(CommandLine.arguments[1], 1)
let number = __libc_current_sigrtmin() + 5
signal(number, SIG_IGN)
signal(SIGUSR1, SIG_IGN)
let burst = DispatchSource.makeSignalSource(signal: number, queue: .main)
burst.setEventHandler { for _ in 0..<burst.data { benchmark_page_note_burst(page, 0, 0) } }
burst.setRegistrationHandler { benchmark_page_set_ready(page) }
let single = DispatchSource.makeSignalSource(signal: SIGUSR1, queue: .main)
single.setEventHandler { benchmark_page_note(page) }
single.resume()
burst.resume()
dispatchMain()
