// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What `io.belfry.Lifecycle` answers to what cannot be done.
nonisolated let lifecycleInterfaceErrors = """
    # There is no such signal.
    error InvalidSignal(signal: string, reason: string)

    # The new configuration was refused and the old one stays; each reason is a line for the operator.
    error ReloadRefused(reasons: []string)

    # The service is stopping, and what was asked will not be done.
    error Stopping()

    # The name is none, or one that clients do not post: the service tells it, or it has a method of its own.
    error InvalidName(name: string)

    # No listener offers this action.
    error NoSuchAction(id: string)

    # There is a listener of this name already.
    error ListenerExists(listener: string)

    # Listeners would follow each other in a circle.
    error InvalidOrder(reason: string)

    # No question with this token waits for an answer: it was answered, its deadline has passed, or there was none.
    error UnknownToken(token: string)

    # The program is no listener any more, because it did not read.
    error Detached(reason: string)

    # Not all that came after the given number can be had any more; 'oldest' is the first from which on there is all.
    error NotRetained(oldest: int)

    # The subscriber did not read in time and this many notifications were dropped; it may subscribe again with 'after'.
    error Overrun(dropped: int)
    """
