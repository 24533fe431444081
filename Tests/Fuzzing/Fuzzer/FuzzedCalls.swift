// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import LifecycleSocket
import Varlink

/// What this thread allocates from now on counts as no leak.
@_silgen_name("__lsan_disable")
nonisolated func disableLeakSanitizer()

/// What it allocates from now on counts again.
@_silgen_name("__lsan_enable")
nonisolated func enableLeakSanitizer()

/// The calls of a connection: what a server reads in fewer steps, because it knows which method is likely, how the last
/// call was written or how a post mostly looks, is what it reads step by step.
nonisolated enum FuzzedCalls {
    /// Parameters of all types.
    private static let everyType = """
        interface org.example
        type Side (left: ?int, right: []Kind)
        type Kind (one, two)
        method All(
          a: ?bool, b: int, c: float, d: string, e: ?object, f: ?[]string, g: [string]?int, h: ?Side, i: (on: bool), j: ?(x, y)
        ) -> ()
        """
    private static let methods = {
        // Nobody could tell that they are referred to: what is in the way are bits that Swift keeps in the addresses.
        disableLeakSanitizer()
        defer { enableLeakSanitizer() }
        return declared(["All"], in: everyType) + declared(["Attach", "Post"], in: lifecycleInterfaceText)
    }()

    private static func declared(_ names: [String], in text: String) -> [DeclaredMethod] {
        guard let interface = try? VarlinkInterfaceDescription(text) else { preconditionFailure("cannot read \(text)") }
        return names.map { DeclaredMethod($0, in: interface) }
    }

    static func check(_ frames: [[UInt8]]) {
        var last: (call: ReceivedCall, shape: OnewayShape)?
        for frame in frames {
            // Not at the beginning of what is in memory, where places and indices would be the same.
            let message = ([0] + frame).dropFirst()
            let call = Result { () throws(VarlinkProtocolError) in try ReceivedCall(message: message) }
            let matched = methods.compactMap { check(message, $0, is: call) }.first
            if let last, let parameters = last.shape.parameters(in: message) {
                check(message, parameters, is: call, like: last.call)
            }
            if let call = try? call.get(), !call.parameters.object.isEmpty {
                check(message, call.parameters.bytes.indices, is: call)
            }
            if let call = matched, call.mode == .oneway {
                let parameters = call.parameters.bytes
                let shape = OnewayShape(of: message, parameters: parameters, handler: .init { _, _, _ in false })
                precondition(shape.parameters(in: message) == parameters.indices, "a call is not written like itself")
                last = (call, shape)
            }
        }
    }

    /// Answers the call when its parameters are known to match.
    private static func check(
        _ message: ArraySlice<UInt8>, _ likely: DeclaredMethod, is plain: Result<ReceivedCall, VarlinkProtocolError>
    ) -> ReceivedCall? {
        do throws(VarlinkProtocolError) {
            let call = try ReceivedCall(message: message, likely: likely)
            guard case .success(let plain) = plain else { preconditionFailure("a likely method makes a call") }
            precondition(isSame(call, plain), "a likely method makes another call")
            guard call.isMatched else { return nil }
            precondition(call.method == likely.name, "parameters match another method")
            precondition(likely.mismatch(call.parameters.object) == nil, "parameters match, and do not")
            return call
        } catch {
            guard case .failure(error) = plain else { preconditionFailure("a likely method makes another error") }
            return nil
        }
    }

    private static func isSame(_ one: ReceivedCall, _ other: ReceivedCall) -> Bool {
        one.method == other.method && one.mode == other.mode && one.extensions == other.extensions
            && one.parameters.bytes == other.parameters.bytes
            && one.parameters.bytes.indices == other.parameters.bytes.indices
    }

    /// A message that is written like one before.
    private static func check(
        _ message: ArraySlice<UInt8>, _ parameters: Range<Int>, is plain: Result<ReceivedCall, VarlinkProtocolError>,
        like last: ReceivedCall
    ) {
        guard PlainPost(message, parameters, last: nil) != nil else { return }
        guard case .success(let call) = plain else { preconditionFailure("what is written like a call is none") }
        precondition(call.method == last.method && call.mode == last.mode && call.extensions == last.extensions)
        precondition(call.parameters.bytes.indices == parameters, "the parameters are elsewhere")
    }

    /// A post that is found without being taken apart.
    private static func check(_ message: ArraySlice<UInt8>, _ parameters: Range<Int>, is call: ReceivedCall) {
        guard let post = PlainPost(message, parameters, last: nil) else { return }
        let wish = PostWish(call.parameters)
        precondition(wish.name == post.name.rawValue && !wish.waits, "a plain post is another wish")
        precondition(wish.userInfo == PostWish.userInfo(message[post.userInfo]), "a plain post has other user info")
        let again = PlainPost(message, parameters, last: post.name)
        precondition(again?.name == post.name && again?.userInfo == post.userInfo, "the last name matters")
    }
}
