"""Asks the upstream where its binlog stands, on its own connection: once a second, and when somebody wants to know."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from pkg.binlog.position import Location, Position
from pkg.errors import DMError

POLL_SECONDS = 1.0
CLOCK_POLLS = 10  # clocks are compared once in as many polls
PATIENCE_SECONDS = 0.8  # after which an upstream counts as one that does not answer
APPLY_SECONDS = 0.5  # that replication is given to apply what the upstream has, before a question is answered
_APPLY_LOOK_SECONDS = 0.005


def presumed_offset() -> float:
    """The upstream's clock goes as ours does until it was asked."""
    return time.time() - time.monotonic()


@dataclass(frozen=True, slots=True)
class Seen:
    """What is known of the upstream's end."""

    location: Location | None = None
    age_seconds: float = 0.0  # of `location`
    problem: str = ""  # why the present end is not known
    looked: int = 0  # the last question that `location` is younger than


class UpstreamWatch(threading.Thread):
    """An upstream that does not answer makes the figures old, never the status slow."""

    def __init__(
        self,
        fetch: Callable[[], Location],
        clock_offset: Callable[[], float],
        tick: Callable[[], None],
        *,
        read_to: Callable[[], Position | None] = lambda: None,
        has_all_of: Callable[[Location], bool] = lambda location: True,
        tell: Callable[[], None] = lambda: None,
        went_back: Callable[[], None] = lambda: None,
    ) -> None:
        """``read_to`` is how far the stream was read; ``tell`` is called when a question can be answered.

        ``went_back`` is called when the upstream's binlog ends before what was read.
        """
        super().__init__(name="upstream-watch", daemon=True)
        self._fetch = fetch
        self._fetch_clock_offset = clock_offset
        self._tick = tick
        self._read_to, self._has_all_of, self._tell, self._went_back = read_to, has_all_of, tell, went_back
        self._over = threading.Event()
        self._wanted = threading.Event()
        self._number = 0  # of the last question
        self._looked = 0  # of the last that is answered
        self._problem = "the upstream has not been asked yet"
        self._asking_since = 0.0  # by our monotonic clock; 0: no question is under way
        self.location: Location | None = None
        self.asked_at = 0.0  # by our monotonic clock, for `location`
        self.clock_offset = presumed_offset()  # seconds that the upstream's clock is ahead of our monotonic one

    def run(self) -> None:
        polls = 0
        while not self._over.is_set():
            self._wanted.clear()
            number = self._number
            try:
                self._ask(polls)
                polls += 1
            except DMError as exc:
                self._problem = exc.message  # the stream's own connection reports it; here only the age grows
            finally:
                self._asking_since = 0.0
            self._tick()
            if number != self._looked:
                self._answer(number)
            self._wanted.wait(POLL_SECONDS)

    def look(self, number: int) -> None:
        """Ask at once.  For any thread."""
        if number != self._number:
            self._number = number
            self._wanted.set()

    @property
    def seen(self) -> Seen:
        """For any thread."""
        now, since = time.monotonic(), self._asking_since
        problem, location = self._problem, self.location
        if not problem and since and now - since >= PATIENCE_SECONDS:
            problem = f"the upstream has not answered for {now - since:.0f} s"
        return Seen(location, now - self.asked_at if location is not None else 0.0, problem, self._looked)

    def _ask(self, polls: int) -> None:
        read_to, asked_at = self._read_to(), time.monotonic()
        self._asking_since = asked_at
        location = self._fetch()
        if polls % CLOCK_POLLS == 0:
            self.clock_offset = self._fetch_clock_offset()
        self.location, self.asked_at = location, asked_at
        self._problem = "" if read_to is None or location.position >= read_to else _other_binlog(location, read_to)
        if self._problem:
            self._went_back()

    def _answer(self, number: int) -> None:
        """Once what the upstream had when it was asked is applied, or not soon."""
        deadline = time.monotonic() + APPLY_SECONDS
        while not self._problem and self._is_behind() and time.monotonic() < deadline:
            if self._over.wait(_APPLY_LOOK_SECONDS):
                return
        self._looked = number
        self._tell()

    def _is_behind(self) -> bool:
        return self.location is not None and not self._has_all_of(self.location)

    def stop(self) -> None:
        self._over.set()
        self._wanted.set()
        if self.is_alive():
            self.join(timeout=5)


def _other_binlog(location: Location, read_to: Position) -> str:
    return (
        f"the upstream's binlog ends at {location.position}, before {read_to}, up to which it was read: "
        "it was reset, or the server was restored"
    )
