"""The package by itself: plugins on a clock that the test advances, without a host."""

from __future__ import annotations

import array
import asyncio
import ctypes
import os
import pathlib
import runpy
import shutil
import sys
import threading
import types
from collections.abc import Mapping
from typing import Any, Literal, cast

import greenroom
import pytest
from greenroom import _core, _loop
from greenroom._adapter import Agents, Inbox, OutputAdapter, reason
from greenroom._media import pcm_of
from greenroom._plugins import description
from greenroom.testing import SentCaption, TestHost


class Stripes(greenroom.Camera):
    """Stripes that move."""

    speed: int = greenroom.setting(60, "Speed", unit="px/s", minimum=0, maximum=1000)

    def draw(self, frame: greenroom.Frame) -> None:
        frame.planes[0].fill(16)
        frame.planes[0].fill(200, left=round(frame.time * self.speed), width=10)
        frame.planes[1].fill(128)
        frame.planes[2].fill(128)


def edge(frame: greenroom.Frame) -> int:
    return memoryview(frame.planes[0]).tobytes().index(200)


def test_a_camera_draws_each_frame_at_its_time() -> None:
    with TestHost(Stripes, {"speed": 90}) as host:
        host.advance(1.0)
        assert [frame.index for frame in host.frames] == list(range(31))
        assert edge(host.frames[10]) == 30
        host.set("speed", 0)
        host.advance(0.1)
        assert edge(host.frames[-1]) == 0


def test_an_exception_ends_a_camera_and_its_traceback_is_logged_once() -> None:
    class Wrong(greenroom.Camera):
        def draw(self, frame: greenroom.Frame) -> None:
            raise ZeroDivisionError("of no use")

    with TestHost(Wrong) as host:
        host.advance(0.5)
    assert host.gave_up == (40, "ZeroDivisionError: of no use")
    assert sum("Traceback" in line for line in host.log) == 1
    assert any("in draw" in line for line in host.log)


def test_an_exception_of_a_filter_refuses_the_frame() -> None:
    class Wrong(greenroom.Filter):
        def edit(self, frame: greenroom.Frame) -> None:
            raise ValueError("not this one")

    with TestHost(Wrong) as host:
        for _ in range(3):
            with pytest.raises(RuntimeError, match="not this one") as caught:
                host.edit(host.picture())
    assert isinstance(caught.value.__cause__, ValueError)
    assert sum("Traceback" in line for line in host.log) == 1


def test_asynchronous_callbacks_run_on_one_loop() -> None:
    loops = set()

    class Slow(greenroom.Camera):
        async def start(self) -> None:
            loops.add(asyncio.get_running_loop())

        async def draw(self, frame: greenroom.Frame) -> None:
            await asyncio.sleep(0)
            loops.add(asyncio.get_running_loop())
            frame.planes[0].fill(frame.index)

    with TestHost(Slow) as host:
        host.advance(0.2)
    assert loops == {greenroom.loop()}
    assert [memoryview(frame.planes[0])[0, 0] for frame in host.frames] == list(range(7))


def test_a_microphone_fills_blocks() -> None:
    class Ramp(greenroom.Microphone):
        rate = 16000

        def fill(self, block: greenroom.Block) -> None:
            samples = memoryview(block.samples)
            samples[0, 0] = round(block.time * 1000)

    with TestHost(Ramp) as host:
        host.advance(0.05)
    assert [len(block.pcm) for block in host.audio] == [320] * 6
    assert [int.from_bytes(block.pcm[:2], "little") for block in host.audio] == [0, 10, 20, 30, 40, 50]


def spoken(host: TestHost) -> bytes:
    return b"".join(block.pcm for block in host.audio).strip(b"\0")


def test_a_voice_plays_in_order_and_can_be_interrupted() -> None:
    class Speaker(greenroom.Microphone):
        rate = 8000

    with TestHost(Speaker) as host:
        voice = host.plugin.voice

        async def play(value: bytes, seconds: float) -> greenroom.Playback:
            return voice.play(value * round(8000 * seconds))

        first = asyncio.run(play(b"\1\1", 0.1))
        second = asyncio.run(play(b"\2\2", 0.1))
        assert voice.queued == pytest.approx(0.2)
        host.advance(0.15)
        assert first.is_done and first.is_complete and not second.is_done
        assert 0 < voice.clear() <= 0.1
        assert second.is_done and not second.is_complete
        host.advance(0.2)
        assert voice.queued == 0 and not voice.is_speaking
    heard = spoken(host)
    assert heard.count(1) == 1600 and 0 < heard.count(2) < 1600
    assert heard == b"\1" * 1600 + b"\2" * heard.count(2)


def test_a_source_reports_damage_and_the_end_of_its_media() -> None:
    class Player(greenroom.Camera):
        def draw(self, frame: greenroom.Frame) -> None:
            if frame.time > 0.1:
                self.host.count_damaged(2)
                self.host.set_held(True)

    with TestHost(Player, fps=10) as host:
        host.advance(0.1)
        assert host.damaged == 0 and not host.is_held
        host.advance(0.2)
        assert not host.errors and host.damaged == 4 and host.is_held


class Listener(greenroom.Receiver):
    rate = 16000

    def __init__(self) -> None:
        self.news: list[str] = []
        self.samples: dict[str, int] = {}

    def joined(self, participant: greenroom.Participant) -> None:
        self.news.append(f"{participant.name} joined")

    def left(self, participant: greenroom.Participant) -> None:
        self.news.append(f"{participant.name} left")

    def heard(self, participant: greenroom.Participant, block: greenroom.Block) -> None:
        self.samples[participant.name] = self.samples.get(participant.name, 0) + block.count

    def speaking(self, participant: greenroom.Participant | None) -> None:
        self.news.append(f"{participant.name if participant else 'nobody'} speaks")


def tone(seconds: float) -> bytes:
    return array.array("h", [8000, -8000] * round(8000 * seconds)).tobytes()


def test_a_receiver_hears_each_participant_by_name() -> None:
    with TestHost(Listener) as host:
        ana, ben = host.join("Ana"), host.join("Ben")
        host.say(ana, tone(1))
        host.say(ana, bytes(32000))
        host.say(ben, tone(0.5))
        host.leave(ana)
        news, samples = host.plugin.news, host.plugin.samples
    assert samples == {"Ana": 32000, "Ben": 8000}
    assert news == [
        "Ana joined", "Ben joined", "Ana speaks", "nobody speaks", "Ben speaks", "Ana left",
        "Ben left",
    ]  # fmt: skip


def test_an_agent_is_one_object_that_hears_and_speaks() -> None:
    class Parrot(greenroom.Agent):
        starts = 0

        async def start(self) -> None:
            self.starts += 1

        async def heard(self, participant: greenroom.Participant, block: greenroom.Block) -> None:
            self.voice.play(block.tobytes())

        def draw(self, frame: greenroom.Frame) -> None:
            frame.planes[0].fill(90)

    with TestHost(Parrot) as host:
        assert len(host._adapters) == 3
        host.say(host.join("Ana"), tone(0.2))
        asyncio.run_coroutine_threadsafe(asyncio.sleep(0), greenroom.loop()).result()
        host.advance(0.3)
        assert host.plugin.starts == 1
    assert spoken(host) == tone(0.2)
    assert host.frames and memoryview(host.frames[-1].planes[0])[0, 0] == 90


def test_an_agent_has_a_camera_and_a_share_of_different_sizes() -> None:
    class Presenter(greenroom.Agent):
        def draw(self, frame: greenroom.Frame) -> None:
            frame.planes[0].fill(90)

        def draw_share(self, frame: greenroom.Frame) -> None:
            frame.planes[0].fill(120)

        def choose_share(self, offer: greenroom.Offer) -> greenroom.Capability:
            return greenroom.Capability(160, 120, 5)

    with TestHost(Presenter) as host:
        host.advance(1)
        assert host.plugin.size.width == 320
        assert host.plugin.share_size == greenroom.Capability(160, 120, 5)
    assert {memoryview(frame.planes[0])[0, 0] for frame in host.frames} == {90}
    assert {(memoryview(frame.planes[0])[0, 0], frame.width) for frame in host.shared} == {(120, 160)}
    assert len(host.frames) == 31 and len(host.shared) == 6


class Writer(greenroom.Agent):
    """Sends a caption after half a second of speech."""

    begin: int | None = None

    def heard(self, participant: greenroom.Participant, block: greenroom.Block) -> None:
        if self.begin is None:
            self.begin = block.pts_ns
        if block.pts_ns == self.begin + 500_000_000:
            self.host.add_caption(
                "Shall we start?", participant.name, start_ns=self.begin, end_ns=block.pts_ns
            )


def test_captions_have_a_text_a_speaker_and_times() -> None:
    with TestHost(Writer) as host:
        host.advance(1)
        host.say(host.join("Ana"), tone(0.6))
    assert not host.errors
    assert host.captions == [SentCaption("Shall we start?", "Ana", 1.0, 1.5)]


class Parrot(greenroom.Agent):
    """The bot of the page *Write plugins in Python*."""

    async def heard(self, participant: greenroom.Participant, block: greenroom.Block) -> None:
        pass

    async def speaking(self, participant: greenroom.Participant | None) -> None:
        if participant:
            self.voice.clear()
        else:
            was_heard = await self.voice.play(tone(1))
            self.log(f"heard at {self.host.now_ns // 10**8 - 10000}" if was_heard else "interrupted")


def test_a_callback_that_awaits_its_voice_lets_time_pass_and_can_be_interrupted() -> None:
    with TestHost(Parrot) as host:
        ana = host.join("Ana")
        host.say(ana, tone(1))
        host.say(ana, bytes(32000))
        assert host.plugin.voice.is_speaking and host.log == []
        host.say(ana, tone(0.5))
        assert host.log == ["interrupted"]
        host.say(ana, bytes(64000))
        assert host.log[1].startswith("heard at ")
        host.advance(2)
        assert len(host.log) == 2 and not host.errors


def test_a_callback_that_awaits_its_voice_continues_before_the_plugin_ends() -> None:
    with TestHost(Parrot) as host:
        ana = host.join("Ana")
        host.say(ana, tone(1) + bytes(16000))
        assert host.plugin.voice.is_speaking
    assert host.log == ["interrupted"]


def test_the_error_of_a_plain_callback_that_waits_for_its_voice_names_the_fix() -> None:
    class Waits(greenroom.Agent):
        def joined(self, participant: greenroom.Participant) -> None:
            self.voice.play(tone(0.1))

    with TestHost(Waits) as host:
        host.join("Ana")
    assert len(host.errors) == 1 and "make the callback async def" in host.errors[0]


def test_a_callback_that_fails_after_its_voice_is_logged() -> None:
    class Wrong(greenroom.Agent):
        async def speaking(self, participant: greenroom.Participant | None) -> None:
            if participant:
                await self.voice.play(tone(0.1))
                raise ValueError("after the answer")

    with TestHost(Wrong) as host:
        host.say(host.join("Ana"), tone(1))
        host.advance(0.5)
    assert host.log[-1] == "ValueError: after the answer"
    # The host hears of it with the next block.
    assert host.errors == ["ValueError: after the answer"]


def test_an_exit_in_an_asynchronous_callback_fails_it_and_the_loop_continues() -> None:
    class Exits(greenroom.Receiver):
        tasks: list[asyncio.Task[None]] = []

        async def joined(self, participant: greenroom.Participant) -> None:
            raise SystemExit(f"for {participant.name}")

        async def left(self, participant: greenroom.Participant) -> None:
            async def leave() -> None:
                raise KeyboardInterrupt

            self.tasks.append(asyncio.create_task(leave()))
            await asyncio.sleep(0.01)
            self.log("awake")

    with TestHost(Exits) as host:
        who = host.join("Ana")
        assert host.errors == ["SystemExit: for Ana"]
        assert sum("Traceback" in line for line in host.log) == 1
        host.leave(who)
        assert host.log[-1] == "awake"


def test_the_reason_of_an_exception_is_the_first_line_of_its_message() -> None:
    class Wrong(greenroom.Camera):
        def draw(self, frame: greenroom.Frame) -> None:
            raise ValueError("bad thing\nsecond line")

    with TestHost(Wrong) as host:
        host.advance(0.1)
    assert host.gave_up == (40, "ValueError: bad thing")
    assert reason(ValueError("\n\n  indented\nsecond")) == "ValueError: indented"
    assert reason(ValueError("")) == "ValueError"
    assert reason(ValueError("\n")) == "ValueError:"


@pytest.mark.parametrize(
    "chosen, message",
    [
        (greenroom.Capability(320, 180, 0), "returned 320x180 at 0 fps: return a size and a rate above 0"),
        (greenroom.Capability(320, 180, 0.0001), "returned 320x180 at 0.0001 fps"),
        (greenroom.Capability(320, 180, 2.0**32), "returned 320x180 at 4294967296.0 fps"),
        (greenroom.Capability(320, 180, float("nan")), "returned 320x180 at nan fps"),
        (greenroom.Capability(-2, 180, 30), "returned -2x180 at 30 fps"),
        ((320, 180, 30), "returned tuple: return a greenroom.Capability"),
    ],
)
def test_a_choice_without_a_size_or_rate_is_refused(chosen: Any, message: str) -> None:
    class Chooses(greenroom.Camera):
        def choose(self, offer: greenroom.Offer) -> Any:
            return chosen

        def draw(self, frame: greenroom.Frame) -> None:
            pass

    with pytest.raises(RuntimeError, match="Chooses.choose " + message):
        TestHost(Chooses).start()


def test_an_exception_of_the_frames_themselves_ends_a_camera(monkeypatch: pytest.MonkeyPatch) -> None:
    def frames(instance: Any, format: int) -> Any:
        raise MemoryError("no frame")
        yield

    monkeypatch.setattr(greenroom.testing._Instance, "frames", frames)
    with TestHost(Stripes) as host:
        host.advance(0.1)
    assert host.gave_up == (40, "MemoryError: no frame")


def test_failures_of_asynchronous_callbacks_count_with_later_blocks_and_are_bounded() -> None:
    may_fail = threading.Event()

    class Fails(greenroom.Receiver):
        async def heard(self, participant: greenroom.Participant, block: greenroom.Block) -> None:
            await asyncio.to_thread(may_fail.wait, 60)
            raise ValueError("late")

    with TestHost(Fails) as host:
        host.join("Ana")
        adapter = cast(OutputAdapter, host._adapters[0][1])
        track = next(iter(host._wants))
        adapter.is_virtual = False  # as in a session of the real clock, which does not wait for callbacks

        def block() -> int:
            return adapter.audio(track, 0, _core.samples(bytes(320), 1), 16000, 0)

        def wait() -> None:
            """Until the callbacks before have ended."""
            ended = threading.Event()

            async def end() -> None:
                ended.set()

            adapter.tell(end)
            assert ended.wait(60)

        assert block() == 0
        may_fail.set()
        wait()
        assert block() == 40 and host.errors == ["ValueError: late"]
        wait()
        for _ in range(1000):
            adapter.fault_later(ValueError("without a block"))
        assert [adapter.late() for _ in range(101)] == [40] * 100 + [0]


@pytest.mark.parametrize(
    "plane",
    [ctypes.c_uint8(1), (ctypes.c_uint8 * 5)(), ((ctypes.c_uint8 * 2) * 3)(), ((ctypes.c_uint16 * 320) * 180)()],
)
def test_planes_of_ctypes_with_another_shape_are_refused(plane: Any) -> None:
    with pytest.raises(ValueError, match=r"plane 0 needs the shape \(180, 320\)"):
        _core.sent_frame(1, 320, 180, [plane] * 3, 0, 0, 0, 0, 0)


def test_planes_of_ctypes_are_sent() -> None:
    def plane(height: int, width: int, value: int) -> Any:
        made = ((ctypes.c_uint8 * width) * height)()
        ctypes.memset(made, value, ctypes.sizeof(made))
        return made

    flat = (ctypes.c_uint8 * (90 * 160))(*[9] * 90 * 160)
    planes = [plane(180, 320, 7), plane(90, 160, 8), flat]
    sent = _core.sent_frame(1, 320, 180, planes, 0, 0, 0, 0, 0)
    assert [bytes(memoryview(one))[-1] for one in sent.planes] == [7, 8, 9]


def test_an_agent_has_one_part_of_each_kind() -> None:
    class Bot(greenroom.Agent):
        pass

    agents = Agents()
    first = agents.join(Bot, 6, Bot)
    assert agents.join(Bot, 2, Bot) is first
    second = agents.join(Bot, 6, Bot)
    assert second is not first and agents.join(Bot, 2, Bot) is second
    assert not agents.leave(first, 6)
    assert agents.join(Bot, 6, Bot) is first
    assert not agents.leave(first, 6) and agents.leave(first, 2)


def test_only_a_live_setting_is_set() -> None:
    class Fixed(greenroom.Camera):
        row_limit: int = greenroom.setting(1, "Limit", live=False)
        speed: int = greenroom.setting(1, "Speed")

    with TestHost(Fixed) as host:
        adapter = host._adapters[0][1]
        assert (adapter.set("row-limit", 2), adapter.set("no-such", 2), adapter.set("speed", 2)) == (25, 25, 0)
        assert (host.plugin.row_limit, host.plugin.speed) == (1, 2)


def test_no_path_is_an_empty_path() -> None:
    class Writes(greenroom.Output):
        file: pathlib.Path = greenroom.setting(pathlib.Path(), "File", live=False)

    assert description(Writes, 6, "bot")[5][0][6] == ""
    with TestHost(Writes) as host:
        assert host.plugin.file == pathlib.Path()


def test_a_composer_draws_from_the_newest_pictures() -> None:
    class Side(greenroom.Composer):
        def compose(self, frame: greenroom.Frame, pictures: Mapping[greenroom.Track, greenroom.Frame]) -> None:
            luma = [memoryview(picture.planes[0])[0, 0] for picture in pictures.values()]
            frame.planes[0].fill(max(luma, default=16))

    with TestHost(Side) as host:
        ana = host.join("Ana", "camera")
        host.advance(0.05)
        host.show(ana, host.picture(77))
        host.advance(0.05)
    shown = [memoryview(frame.planes[0])[0, 0] for frame in host.frames]
    assert shown[0] == 16 and shown[-1] == 77


def test_an_audio_filter_edits_in_place() -> None:
    class Half(greenroom.AudioFilter):
        def edit(self, block: greenroom.Block) -> None:
            samples = memoryview(block.samples)
            for index in range(block.count):
                samples[index, 0] //= 2

    with TestHost(Half) as host:
        edited = host.edit_audio(array.array("h", [1000] * 480).tobytes())
    assert array.array("h", edited) == array.array("h", [500] * 480)


def test_colors_survive_a_conversion_from_rgb_and_back() -> None:
    numpy = pytest.importorskip("numpy")
    frame = _core.frame(1, 64, 36)
    pixels = numpy.zeros((36, 64, 3), numpy.uint8)
    pixels[:, :32] = (200, 40, 40)
    pixels[:, 32:] = (20, 60, 220)
    frame.write_rgb(pixels)
    seen = numpy.asarray(frame.rgb())
    assert seen.shape == (36, 64, 3)
    assert numpy.abs(seen.astype(int) - pixels).max() <= 3
    assert (numpy.asarray(frame.bgr()) == seen[:, :, ::-1]).all()
    numpy.asarray(frame.planes[0])[:] = 100
    assert memoryview(frame.planes[0])[35, 63] == 100


def test_a_plugin_class_describes_its_settings() -> None:
    class Every(greenroom.Output):
        """All of them.

        And more.
        """

        yes: bool = greenroom.setting(True, "A switch")
        share: float = greenroom.setting(0.5, minimum=0, maximum=1, unit="s")
        mode: Literal["fast", "good"] = greenroom.setting("good", live=False)
        file: pathlib.Path = greenroom.setting(title="A file")
        long_name: str = greenroom.setting("x")

    kind, id, name, version, summary, parameters = description(Every, 6, "My bot")
    assert (kind, id, name, version, summary) == (6, "python.my-bot.every", "Every", "1.0.0", "All of them.")
    assert [parameter[:4] for parameter in parameters] == [
        (1, 1, "yes", "A switch"), (3, 5, "share", "share"), (5, 0, "mode", "mode"),
        (6, 3, "file", "A file"), (4, 1, "long-name", "long-name"),
    ]  # fmt: skip


def test_an_error_about_a_wrong_setting_names_place_and_rule() -> None:
    class High(greenroom.Camera):
        speed: int = greenroom.setting(9, maximum=5)

    class Bare(greenroom.Camera):
        speed = greenroom.setting(9)

    class Odd(greenroom.Camera):
        speed: bytes = greenroom.setting(b"")

    with pytest.raises(ValueError, match="High.speed: the default 9 is outside the limits"):
        description(High, 1, "x")
    with pytest.raises(TypeError, match="Bare.speed: annotate the setting"):
        description(Bare, 1, "x")
    with pytest.raises(TypeError, match="Odd.speed: a setting is annotated as"):
        description(Odd, 1, "x")


def test_a_test_host_refuses_the_settings_that_the_host_refuses() -> None:
    class Needs(greenroom.Camera):
        file: pathlib.Path = greenroom.setting(title="A file")
        mode: Literal["fast", "good"] = greenroom.setting("good", live=False)

    for settings, message in (
        ({"speed": 2000}, "speed: 2000 is out of bounds. Use 0 to 1000 px/s."),
        ({"speed": 1.5}, "speed: needs a whole number, found 1.5."),
        ({"speed": "fast"}, 'speed: needs a whole number, found "fast".'),
        ({"sped": 3}, "sped: Stripes has no such setting. Its settings: speed."),
    ):
        with pytest.raises(ValueError) as caught:
            TestHost(Stripes, settings)
        assert str(caught.value) == message
    with pytest.raises(ValueError, match=r"file: Needs requires this setting \(A file\). Add it."):
        TestHost(Needs)
    with pytest.raises(ValueError, match="mode: needs one of fast, good, found \"slow\"."):
        TestHost(Needs, {"file": "x", "mode": "slow"})
    with TestHost(Needs, {"file": "x"}) as host:
        assert host.plugin.file == pathlib.Path("x")
        with pytest.raises(ValueError, match="mode of Needs is not live: it cannot change"):
            host.set("mode", "fast")
        with pytest.raises(ValueError, match="sped: Needs has no such setting"):
            host.set("sped", 1)


def test_an_edit_that_returns_its_result_logs_one_warning() -> None:
    class Returns(greenroom.AudioFilter):
        async def edit(self, block: greenroom.Block) -> bytes:
            return bytes(960)

    class Replaces(greenroom.AudioFilter):
        def edit(self, block: greenroom.Block) -> None:
            block.samples = memoryview(bytes(960))  # type: ignore[misc]

    class ReplacesPlanes(greenroom.Filter):
        def edit(self, frame: greenroom.Frame) -> None:
            frame.planes = frame.copy().planes  # type: ignore[misc]

    with TestHost(ReplacesPlanes) as host, pytest.raises(RuntimeError, match="frame.planes is read-only"):
        host.edit(host.picture())
    loud = b"\0\1" * 480
    with TestHost(Returns) as host:
        assert host.edit_audio(loud) == host.edit_audio(loud) == loud
    assert len(host.log) == 1 and "edit block.samples in place" in host.log[0]
    with TestHost(Replaces) as host, pytest.raises(RuntimeError, match="read-only: edit in place"):
        host.edit_audio(loud)


def test_an_error_about_wrong_pixels_names_the_needed_shape() -> None:
    numpy = pytest.importorskip("numpy")
    frame = _core.frame(1, 64, 36)
    for wrong in (
        numpy.zeros((36, 64), numpy.uint8), numpy.zeros((36, 64, 3), numpy.float32),
        numpy.zeros((35, 64, 3), numpy.uint8),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=r"the shape \(36, 64, 3\) and the type uint8"):
            frame.write_rgb(wrong)
    with pytest.raises(TypeError, match="has 3 planes"):
        numpy.asarray(frame)


def test_a_test_host_refuses_the_planes_that_the_host_refuses() -> None:
    numpy = pytest.importorskip("numpy")
    small = numpy.zeros((90, 160), numpy.uint8)
    with TestHost(greenroom.Camera) as host:
        for wrong in (
            numpy.zeros((180, 640), numpy.uint8)[:, ::2], numpy.zeros((180, 320), numpy.float32),
            numpy.zeros((180, 320, 1), numpy.uint8),
        ):  # fmt: skip
            with pytest.raises(ValueError, match=r"plane 0 needs the shape \(180, 320\), the type uint8"):
                host.plugin.send([wrong, small, small], width=320, height=180)
        with pytest.raises(ValueError, match="plane 1 needs the shape"):
            host.plugin.send([numpy.zeros((180, 320), numpy.uint8)] * 3)
        assert not host.frames
        host.plugin.send([numpy.full((180, 400), 9, numpy.uint8)[:, :320], small, small])
        assert [(frame.width, memoryview(frame.planes[0])[179, 319]) for frame in host.frames] == [(320, 9)]


def test_an_error_about_a_word_names_the_possible_ones() -> None:
    class Wrong(greenroom.Camera):
        format = "i421"  # type: ignore[assignment]

    with pytest.raises(ValueError, match="Wrong.format is 'i421', and must be one of i420, nv12"):
        TestHost(Wrong)
    for want, reason in (
        (greenroom.Want(format="x"), "Want.format is 'x'"), (greenroom.Want(fit="x"), "Want.fit is 'x'"),
        (greenroom.Want(pace="x"), "Want.pace is 'x', and must be one of live, complete"),
    ):  # type: ignore[arg-type]  # fmt: skip
        with pytest.raises(ValueError, match=reason):
            want.numbers()


def test_wrong_samples_are_refused() -> None:
    with TestHost(greenroom.Microphone) as host:
        with pytest.raises(ValueError, match="no whole number of 16-bit samples"):
            host.plugin.voice.play(b"\1")
        with pytest.raises(ValueError, match="the type float32, and must be int16 or bytes"):
            host.plugin.voice.play(array.array("f", [0.5]))
    with pytest.raises(RuntimeError, match="between start and stop"):
        host.plugin.voice.play(b"\1\1")


@pytest.mark.parametrize(
    "channels, dtype, shape, reason",
    [
        (1, "float32", (4,), r"type float32.* Use \(samples \* 32767\).astype\(numpy.int16\) for values from -1 to 1"),
        (1, "uint16", (4,), r"type uint16.* Use samples.astype\(numpy.int16\) for values from -32768"),
        (1, "int8", (4,), "type int8"), (1, "bool", (4,), "type bool"), (1, "uint8", (4, 2), "type uint8"),
        (1, ">i2", (4,), "type >h"), (1, "int32", (4,), "type int32"),
        (1, "int16", (4, 2), r"shape \(4, 2\), and must have \(count,\) or \(count, 1\). .*mean\(axis=1\)"),
        (1, "int16", (2, 4), r"shape \(2, 4\).*mean\(axis=0\)"), (1, "int16", (2, 2, 4), "shape .*samples.reshape"),
        (2, "int16", (4,), r"shape \(4,\), and must have \(count, 2\). Use samples.reshape\(-1, 2\) if .*repeat"),
        (2, "int16", (2, 4), "shape .*Use samples.T"), (2, "int16", (4, 1), "shape .*numpy.repeat"),
    ],
)  # fmt: skip
def test_samples_of_another_type_or_shape_are_refused(
    channels: int, dtype: str, shape: tuple[int, ...], reason: str
) -> None:
    numpy = pytest.importorskip("numpy")
    with pytest.raises(ValueError, match=f"^the place: the samples have the {reason}"):
        pcm_of("the place", numpy.zeros(shape, dtype), channels)


def test_samples_that_fit_are_interleaved_bytes() -> None:
    numpy = pytest.importorskip("numpy")
    four = numpy.arange(4, dtype=numpy.int16)
    assert pcm_of("", four, 1) == pcm_of("", four.reshape(4, 1), 1) == four.tobytes()
    assert pcm_of("", four[::2], 1) == bytes([0, 0, 2, 0])
    assert pcm_of("", numpy.stack([four, four], axis=1), 2) == four.repeat(2).tobytes()
    assert pcm_of("", four.tobytes(), 2) == pcm_of("", array.array("h", four), 1) == four.tobytes()


def test_samples_in_tests_are_checked_as_those_of_a_voice() -> None:
    class Ears(greenroom.Receiver):
        pass

    with TestHost(Ears) as host, pytest.raises(ValueError, match="host.say: the samples have the type float64"):
        host.say(host.join("Ana"), array.array("d", [0.5]))
    with TestHost(greenroom.AudioFilter) as host:
        with pytest.raises(TypeError, match="host.edit_audio: the samples are of the type list, and must be bytes or"):
            host.edit_audio([0.5])  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="host.edit_audio: reference: the samples have the type float64"):
            host.edit_audio(bytes(960), array.array("d", [0.5]))


@pytest.mark.parametrize(
    "base, attribute, value, reason",
    [
        ("Camera", "sizes", [(640, 360, 30)], r"sizes has \(640, 360, 30\), and must be .*greenroom.Capability\(640, 360, 30\)"),
        ("Camera", "sizes", greenroom.Capability(640, 360, 30), "sizes has Capability.*must be a list"),
        ("Camera", "sizes", [greenroom.Capability(640, 360, 0)], "sizes has Capability.*above 0"),
        ("Microphone", "rate", 44100.5, "rate is 44100.5, and must be a whole number from 8000 to 192000"),
        ("Microphone", "channels", 3, "channels is 3, and must be a whole number from 1 to 2"),
        ("Receiver", "rate", "16000", "rate is '16000', and must be a whole number from 8000"),
        ("AudioFilter", "delay", 0.5, "delay is 0.5, and must be a whole number from 0 to 9600"),
        ("Agent", "voice_rate", 100, "voice_rate is 100, and must be"),
    ],
)  # fmt: skip
def test_an_error_about_a_declaration_names_the_attribute(base: str, attribute: str, value: Any, reason: str) -> None:
    wrong = type("Wrong", (getattr(greenroom, base),), {attribute: value})
    with pytest.raises((TypeError, ValueError), match=f"^Wrong.{reason}"):
        TestHost(wrong)


def test_a_build_outside_the_checkout_names_the_fix(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    setup = shutil.copy(pathlib.Path(__file__).parents[1] / "setup.py", tmp_path)
    monkeypatch.setenv("PKG_CONFIG_LIBDIR", str(tmp_path))
    monkeypatch.delenv("PKG_CONFIG_PATH", raising=False)
    stand_in = types.SimpleNamespace(Extension=dict, setup=dict)
    monkeypatch.setitem(sys.modules, "setuptools", stand_in)  # type: ignore[arg-type]
    for path in (os.environ["PATH"], ""):
        monkeypatch.setenv("PATH", path)
        with pytest.raises(SystemExit, match=r"Install the wheel, greenroom-\*.whl, or run pip install ./Python"):
            runpy.run_path(str(setup))


def test_a_wrong_format_that_an_output_requests_is_named() -> None:
    class Slow(greenroom.Output):
        def track(self, track: greenroom.Track) -> greenroom.Want:
            return greenroom.Want(rate=44100.5)  # type: ignore[arg-type]

    class Text(greenroom.Output):
        def track(self, track: greenroom.Track) -> Any:
            return "i420"

    for output, reason in (
        (Slow, "ValueError: Want.rate is 44100.5, and must be a whole number from 8000 to 192000"),
        (Text, "TypeError: Text.track returned str: return a greenroom.Want or None"),
    ):
        with TestHost(output) as host:
            host.join("Ana")
        assert set(host.errors) == {reason}


def test_an_error_about_media_of_another_type_names_the_fix() -> None:
    with TestHost(greenroom.Camera) as host:
        with pytest.raises(TypeError, match=r"frame.write_bgr: .* type list, and must be an array of uint8 of the shape \(180, 320, 3\). Use numpy"):
            host.picture().write_bgr([1, 2])  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="camera.send: plane 1 is of the type list, and must be bytes or an array. Use numpy"):
            host.plugin.send([bytes(4), [1]], width=2, height=2)
        with pytest.raises(TypeError, match="camera.send: plane 0 is of the type NoneType"):
            host.plugin.send(None)
        with pytest.raises(ValueError, match="camera.send: pts_ns is -5, and must not be negative. Use self.host.now_ns"):
            host.plugin.send(bytes(4), "bgra", width=1, height=1, pts_ns=-5)


def test_a_forked_process_has_no_connection() -> None:
    read, write = os.pipe()
    try:
        greenroom._program.open_library()
    except ImportError:
        pytest.skip("needs the client library")
    process = os.fork()
    if process == 0:
        try:
            _core.run("/nowhere")
        except RuntimeError as error:
            os.write(write, str(error).encode())
        os._exit(0)
    os.waitpid(process, 0)
    assert b"forked" in os.read(read, 1000)


def test_a_program_that_connects_in_a_forked_process_gets_the_reason(capfd: pytest.CaptureFixture[str]) -> None:
    try:
        greenroom._program.open_library()
    except ImportError:
        pytest.skip("needs the client library")
    process = os.fork()
    if process == 0:
        try:
            greenroom.connect("/nowhere/bot.sock", Stripes)
        except BaseException as error:
            os.write(1, f"{type(error).__name__}: {error}".encode())
        os._exit(0)
    os.waitpid(process, 0)
    assert capfd.readouterr().out.startswith("RuntimeError: this process was forked")


def test_a_connection_without_a_host_is_a_temporary_error() -> None:
    try:
        greenroom._program.open_library()
    except ImportError:
        pytest.skip("needs the client library")
    with pytest.raises(greenroom.ConnectionEnded, match="no host listens at") as caught:
        greenroom.connect("/nowhere/bot.sock", Stripes)
    assert caught.value.is_temporary
    with pytest.raises(TypeError, match="derive from greenroom.Camera"):
        greenroom.connect("/nowhere/bot.sock", int)  # type: ignore[arg-type]


def test_an_agent_reads_and_writes_messages_and_ignores_its_own() -> None:
    class Echo(greenroom.Agent):
        async def message(self, author: str, text: str) -> None:
            self.send_message(f"{author} wrote\n{text}")

    with TestHost(Echo) as host:
        host.write("Ana", "hello")
        host.write("Echo", "not me")
        assert host.commands == ["message from Echo: Ana wrote hello"]


def test_an_agent_notices_a_participant_without_audio() -> None:
    with TestHost(Listener) as host:
        host.leave(host.join("Ana", "camera"))
        assert host.plugin.news == ["Ana joined", "Ana left"]


def test_errors_about_event_loops_and_blocking_calls_name_the_fix() -> None:
    async def other(session: greenroom.Session) -> None:
        session._loop = greenroom.loop()
        await session.wait()

    async def blocks(call: object) -> None:
        assert callable(call)
        call()

    with pytest.raises(RuntimeError, match="belongs to the event loop that has opened it"):
        asyncio.run(other(greenroom.Session({})))
    with pytest.raises(RuntimeError, match="use async with greenroom.Session"):
        asyncio.run(blocks(lambda: greenroom.run({})))
    with pytest.raises(RuntimeError, match="use await asyncio.to_thread"):
        asyncio.run(blocks(lambda: greenroom.connect("/nowhere", Stripes)))
    with TestHost(greenroom.Microphone) as host:

        async def wait() -> None:
            host.plugin.play(b"\1\1").wait()

        with pytest.raises(RuntimeError, match="use await playback"):
            asyncio.run(wait())


def test_a_forked_process_has_its_own_event_loop() -> None:
    async def answer() -> int:
        return 42

    assert asyncio.run_coroutine_threadsafe(answer(), greenroom.loop()).result(10) == 42
    process = os.fork()
    if process == 0:
        is_fine = asyncio.run_coroutine_threadsafe(answer(), greenroom.loop()).result(10) == 42
        os._exit(0 if is_fine else 1)
    assert os.waitpid(process, 0)[1] == 0


def test_a_task_that_a_callback_has_started_releases_no_later_callback() -> None:
    class Adapter:
        is_virtual = False

    second_runs, released, ended = asyncio.Event(), asyncio.Event(), threading.Event()
    order: list[str] = []

    async def background() -> None:
        await second_runs.wait()
        _loop.release()
        released.set()

    async def first() -> None:
        order.append("first")
        tasks.append(asyncio.create_task(background()))

    async def second() -> None:
        second_runs.set()
        await released.wait()
        await asyncio.sleep(0)
        order.append("second")

    async def third() -> None:
        order.append("third")
        ended.set()

    tasks: list[asyncio.Task[None]] = []
    inbox = Inbox(cast(Any, Adapter()), 10)
    for callback in (first, second, third):
        inbox.put(callback)
    ended.wait()
    assert order == ["first", "second", "third"]
