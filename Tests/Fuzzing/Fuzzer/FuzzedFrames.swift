// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Varlink

/// A stream of messages: chunks of any size give the same messages, and a call or a reply is equal after it is written
/// and parsed again.
nonisolated enum FuzzedFrames {
    private static let limit = 512

    static func take(_ bytes: UnsafeBufferPointer<UInt8>) -> Int32 {
        guard let size = bytes.first.map({ Int($0) + 1 }) else { return 0 }
        let stream = UnsafeBufferPointer(rebasing: bytes.dropFirst())
        let pieces = read(stream, inPiecesOf: size)
        precondition(pieces == read(stream, inPiecesOf: max(stream.count, 1)), "pieces matter")
        for frame in pieces.frames {
            precondition(frame.count <= limit && !frame.contains(0))
            check(frame)
        }
        FuzzedCalls.check(pieces.frames)
        return 0
    }

    private struct Outcome: Equatable {
        var frames: [[UInt8]] = []
        var isTooLarge = false
    }

    private static func read(_ stream: UnsafeBufferPointer<UInt8>, inPiecesOf size: Int) -> Outcome {
        var reader = VarlinkFrameReader(limit: limit)
        var outcome = Outcome()
        for start in stride(from: 0, to: stream.count, by: size) {
            let piece = stream[start..<min(start + size, stream.count)]
            reader.append(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: piece)))
            do throws(VarlinkProtocolError) {
                while let frame = try reader.next() { outcome.frames.append(Array(frame)) }
            } catch {
                outcome.isTooLarge = true
                return outcome
            }
        }
        return outcome
    }

    private static func check(_ frame: [UInt8]) {
        if let call = try? VarlinkCall(message: frame[...]) {
            let again = try? VarlinkCall(message: call.message.array.dropLast())
            precondition(again == call, "a call changes when it is written")
        }
        if let reply = try? VarlinkReply(message: frame[...]) {
            let again = try? VarlinkReply(message: reply.message.array.dropLast())
            precondition(again == reply, "a reply changes when it is written")
        }
    }
}

nonisolated extension JSONWriter {
    /// A copy of what was written.
    var array: [UInt8] { Array(bytes) }
}
