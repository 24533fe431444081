# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""`belfryctl plot --svg`: the drawing of what really happened, read by a foreign XML parser (expat)."""

from belfry_service import SERVICE, BelfryService
from drawing import drawn
from freezer import freeze_and_thaw

def answer_one(belfry: BelfryService, name: str, *command: str, outcome: str = "completed") -> None:
    """Runs a command of belfryctl whose notification an attached program answers."""
    with belfry.connect() as program, belfry.connect() as answers:
        program.attach(name, "flushRequested", "willReload")
        with belfry.running_ctl(*command) as ctl:
            token = program.reply()["token"]
            answers.call("Answer", {"token": token, "outcome": outcome, "reason": "nginx -t failed"})
            ctl.wait(20)


def test_span_of_time_is_drawn_with_all_that_happened(on_each):
    belfry = on_each
    belfry.start()
    answer_one(belfry, "thumbnails", "flush")
    answer_one(belfry, "nginx", "reload", outcome="refused")
    belfry.ctl("pause")
    belfry.ctl("resume")
    counted = freeze_and_thaw(belfry)
    belfry.host.systemctl("stop", SERVICE)

    # Without those of the tests before.
    drawing = drawn(belfry, "-n", str(len(belfry.notifications())))

    names = {"willFinishLaunching", "flushRequested", "didFailToReload", "didEnterBackground", "didResume", "willTerminate"}
    assert names | {"thumbnails", "nginx", "cacheFlush", "serviceManager"} <= set(drawing.texts)
    # One more of each is in the legend.
    assert drawing.styles["hatch"] == 2 and drawing.styles["call failed"] == 2
    assert {"state active", "state background", "state inactive", "state notRunning"} <= drawing.styles.keys()
    assert drawing.styles["link"] == sum(drawing.styles[style] - 1 for style in ("call", "call failed", "call instant"))
    # The pause and the return from it were answered at once.
    instant = {title.split("\n")[0].split(" ")[-1] for title in drawing.titles if title.endswith("at once, or not yet")}
    assert instant == {"willResignActive", "didEnterBackground", "didBecomeActive"}
    assert any(title.startswith("suspended, ") for title in drawing.titles) and counted > 0
    [warning] = [title for title in drawing.titles if "flushRequested\ncompleted" in title and "thumbnails" in title]
    number = belfry.notifications()[3]["BELFRY_SEQUENCE"]
    assert warning.startswith(f"thumbnails for {number} flushRequested\n")

    last = drawn(belfry, "stop")
    assert last.texts[0] == "belfryd stop"
    assert {"willResignActive", "didEnterBackground", "willTerminate"} <= set(last.texts)
    assert "flushRequested" not in last.texts


def test_plot_refuses_what_does_not_fit_together(started):
    for arguments, reason in (
        (["--since", "today"], "a span of time can only be drawn with --svg"),
        (["--svg", "stop", "-n", "3"], "a transition and a span of time are both given, use one of them"),
        (["--svg", "--json"], "--svg and --json are two forms of output, use one of them"),
        (["lanch"], "unknown transition 'lanch', expected launch or stop, did you mean 'launch'?"),
    ):
        done = started.ctl("plot", *arguments, check=False)
        assert (done.returncode, done.stdout) == (64, "")
        assert done.stderr == f"belfryctl: {reason}\nTry 'belfryctl plot --help'.\n"
    empty = started.ctl("plot", "--svg", "--until", "yesterday", check=False)
    assert (empty.returncode, empty.stdout) == (69, "")
    assert empty.stderr == "unable to plot 'the span': the journal has no record of it for belfryd\n"
