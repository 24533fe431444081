// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// The massive main: one file that knows the video, the connection, the statistics and the signals, and one switch where
// each of them has a line in every case. It sends itself the signals that an operator would send.

import Glibc

var isPlaying = false
var isConnected = false
var position = 0
var frames = 0

func play() {
    isPlaying = true
    frames += 25
    print("video: play from \(position)")
}

func rest() {
    isPlaying = false
    position = frames
    print("video: pause at \(position)")
}

func connect() {
    isConnected = true
    print("socket: connected")
}

func disconnect() {
    isConnected = false
    print("socket: disconnected")
}

func signals(_ numbers: Int32...) -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for number in numbers { sigaddset(&set, number) }
    return set
}

var handled = signals(SIGTSTP, SIGCONT, SIGUSR1, SIGTERM)
sigprocmask(SIG_BLOCK, &handled, nil)
print("statistics: started")
connect()
play()

var script = [SIGTSTP, SIGCONT, SIGUSR1, SIGTERM]
var isRunning = true
while isRunning {
    kill(getpid(), script.removeFirst())
    var number: Int32 = 0
    sigwait(&handled, &number)
    switch number {
    case SIGTSTP:
        if isPlaying { rest() }
        if isConnected { disconnect() }
    case SIGCONT:
        if !isConnected { connect() }
        if !isPlaying { play() }
    case SIGUSR1:
        print("video: caches dropped")
        print("statistics: \(frames) frames")
    case SIGTERM:
        if isPlaying { rest() }
        if isConnected { disconnect() }
        print("statistics: \(frames) frames in all")
        isRunning = false
    default: break
    }
}
