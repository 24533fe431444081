# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Random calls, made from the interface description of a service: some are valid, most are nearly valid."""

import json
import random
from collections import deque

from bystanders import FORGED
from hostile_text import NUMBERS
from varlink_methods import Method, Parameter

NAMES = """
    willFinishLaunching didFinishLaunching didBecomeActive willResignActive didEnterBackground willEnterForeground didResume
    willTerminate didReceiveMemoryWarning significantTimeChange willReload didReload didFailToReload willSleep didWake
    protectedDataDidBecomeAvailable didReceiveNotification performFetch openURL performAction willEncodeRestorableState
    flushRequested statusRequested powerFailing org.example.fuzz org.example.other
""".split()
WORDS = {
    "signal": "TERM INT HUP TSTP CONT USR1 USR2 PWR QUIT RTMIN RTMIN+18 RTMAX-1 SIGUSR1 RTMIN+99 KILL STOP 1 64 65 -1".split(),
    "outcome": "completed newData noData handled declined refused failed late".split(),
    "interface": "io.belfry.Lifecycle org.varlink.service org.example.none".split(),
    "url": "x-example:it file:///etc/passwd http://[::1]:99999/ : x:".split(),
    "id": "org.example.action-1 org.example.action-2".split(),
    "listener": "org.example.one org.example.two logger socket".split(),
}
# Names of header fields that may be unknown, as they have a dot, and what levels of a value are: each encloses the next one.
VENDORS = ["org.example.trace", "com.example", "io.belfry.Lifecycle.hint", "a.", "."]
LEVELS = [(b"[", b"]"), (b'{"a":', b"}"), (b'[0,{},"x",', b",[]]"), (b'{"list":[', b'],"a.b":null}')]
FLAGS = ["oneway", "more", "upgrade"]
LONGEST = 1 << 20


class FuzzedCalls:
    """`tokens` and `numbers` come from recent replies of the service; the rest depends on the random numbers alone."""

    def __init__(self, chance: random.Random, methods: list[Method], types: dict[str, tuple[Parameter, ...]]):
        self.chance = chance
        self.methods = methods
        self.types = types
        self.tokens: deque[str] = deque(["1"], maxlen=20)
        self.numbers: deque[int] = deque([0], maxlen=20)

    def one_in(self, number: int) -> bool:
        return self.chance.randrange(number) == 0

    def text(self) -> str:
        """Of any kind and length."""
        length = self.chance.choice([0, 1, 3, 40, 255, 256, 5000, self.chance.randrange(200_000)])
        kinds = [
            "x",
            "\u0301\u0323",
            "\u00e9e\u0301",
            "\U0001f468\u200d\U0001f469\u200d\U0001f467",
            f"\r\n{FORGED}",
            f"\n<0>{FORGED}",
            "\x00\x01\x1b[2J\x7f",
            "\u0085\u2028\u2029\u202e\ufeff",
            "'\"\\/%n%s$(){}[],:",
            "a.b-",
        ]
        kind = self.chance.choice(kinds)
        return (kind * (length // len(kind) + 1))[:length]

    def string(self, name: str) -> bytes:
        if self.one_in(6):
            words = self.text()
        elif name == "token":
            words = self.chance.choice(self.tokens)
        else:
            words = self.chance.choice(WORDS.get(name, NAMES))
        if self.one_in(40):
            return b'"' + self.chance.choice([rb"\ud800", rb"\udc00\ud800", rb"\u00zz", rb"\x", b"\xff\xfe", b"\xc0\x80"]) + b'"'
        return json.dumps(words, ensure_ascii=self.one_in(2)).encode()

    def integer(self) -> bytes:
        if self.one_in(3):
            return str(self.chance.choice(self.numbers) + self.chance.randrange(-2, 3)).encode()
        return self.chance.choice(NUMBERS).encode()

    def anything(self, depth: int = 0) -> bytes:
        """A value of any type, sometimes a large one."""
        if self.one_in(60):
            count = self.chance.randrange(1, 200_000)
            shape = self.chance.choice([(b"[", b"", b"]"), (b'{"a":', b"0", b"}")])
            many = self.chance.choice([b"[],", b"0,", b'"",', b"{},"])
            return shape[0] * count + shape[1] + shape[2] * count if self.one_in(2) else b"[" + many * count + b"0]"
        choice = self.chance.randrange(8 if depth < 4 else 5)
        if choice == 0:
            return self.chance.choice([b"true", b"false", b"null"])
        if choice == 1:
            return self.integer()
        if choice < 5:
            return self.string("")
        count = self.chance.randrange(6)
        if choice == 5:
            return b"[" + b",".join(self.anything(depth + 1) for _ in range(count)) + b"]"
        members = [self.string("") + b":" + self.anything(depth + 1) for _ in range(count)]
        return b"{" + b",".join(members + members[: self.chance.randrange(2)]) + b"}"

    def deep(self) -> bytes:
        """Lists and objects within each other: few levels, about as many as a reader takes, or far more."""
        levels = self.chance.choices(LEVELS, k=self.chance.choice([2, 10, 62, 63, 64, 65, 5000]))
        ends = [end for _, end in reversed(levels)]
        return b"".join([*(begin for begin, _ in levels), self.anything(depth=4), *ends])

    def vendor_fields(self) -> list[bytes]:
        """Fields of a header that are somebody else's, with values of any shape."""
        names = self.chance.sample(VENDORS, self.chance.randrange(1, 4))
        many = range(self.chance.choice([0, 0, 0, 1000]))
        return [
            *(b'"%s":' % name.encode() + (self.deep() if self.one_in(2) else self.anything()) for name in names),
            *(b'"org.example.%d":[%d]' % (number, number) for number in many),
        ]

    def value(self, parameter: Parameter) -> bytes:
        """A value that usually fits the parameter."""
        if self.one_in(12):
            return self.deep() if self.one_in(3) else self.anything()
        if parameter.list:
            count = self.chance.choice([0, 1, 1, 2, 3, 20, 300])
            return b"[" + b",".join(self.single(parameter) for _ in range(count)) + b"]"
        return self.single(parameter)

    def single(self, parameter: Parameter) -> bytes:
        if parameter.kind == "string":
            return self.string(parameter.name)
        if parameter.kind in ("int", "float"):
            return self.integer()
        if parameter.kind == "bool":
            return self.chance.choice([b"true", b"false"])
        if parameter.kind in self.types:
            return self.object(self.types[parameter.kind])
        return b'{"fuzz":' + self.anything() + b"}"

    def object(self, parameters: tuple[Parameter, ...]) -> bytes:
        members = []
        for parameter in parameters:
            if self.one_in(3 if parameter.optional else 15):
                continue
            members.append(b'"%s":' % parameter.name.encode() + self.value(parameter))
            if self.one_in(50):
                members.append(members[-1])
        if self.one_in(30):
            members.append(self.string("") + b":" + self.anything())
        self.chance.shuffle(members)
        return b"{" + b",".join(members) + b"}"

    def call(self) -> bytes:
        """A frame, including its NUL."""
        method = self.chance.choice(self.methods)
        name = method.name
        if self.one_in(40):
            name = self.chance.choice([self.text(), name + "x", name.upper(), name.rpartition(".")[0], "." + name, name + "."])
        members = [b'"method":' + json.dumps(name).encode()]
        if method.parameters or self.one_in(4):
            members.append(b'"parameters":' + (self.anything() if self.one_in(40) else self.object(method.parameters)))
        if method.name.endswith(("Subscribe", "Attach", "Hold", "List", "Describe")) and not self.one_in(10):
            members.append(b'"more":true')
        elif self.one_in(5):
            for flag in self.chance.sample(FLAGS, 1 if self.one_in(2) else 2):
                value = self.anything() if self.one_in(10) else self.chance.choice([b"true", b"false", b"null"])
                members.append(b'"%s":' % flag.encode() + value)
        if self.one_in(30):
            members.append(self.string("") + b":" + self.anything())
        if self.one_in(8):
            members += self.vendor_fields()
        self.chance.shuffle(members)
        frame = b"{" + b",".join(members) + b"}"
        if self.one_in(40):
            frame = self.damaged(frame)
        return frame.replace(b"\0", b" ")[:LONGEST] + b"\0"

    def damaged(self, frame: bytes) -> bytes:
        """Cut, with a byte changed, or with a piece twice."""
        at = self.chance.randrange(len(frame))
        return self.chance.choice(
            [frame[:at], frame[at:], frame[:at] + self.chance.randbytes(1) + frame[at + 1 :], frame[:at] + frame, frame * 2]
        )
