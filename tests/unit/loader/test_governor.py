"""How fast lanes may go, and when they hold back."""

from __future__ import annotations

import threading
from collections.abc import Callable

from dm_worker.loader.governor import Allowance, Governor, Report
from dm_worker.loader.line import LineAddress, LineClient, LineServer, reachable_host
from dm_worker.loader.pace import Pace
from pkg.task.live import LiveSettings


def limits(size: int = 0, threads: int = 100) -> LiveSettings:
    return LiveSettings(1, 1, 0, max_bytes_per_second=size, max_threads_running=threads)


class Clock:
    """Time that passes by sleeping."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def lane(governor: Governor, clock: Clock) -> Pace:
    def ask(report: Report) -> Allowance:
        return governor.heard(report, clock())

    return Pace(ask, governor.first_allowance(), clock=clock, sleep=clock.sleep)


def test_the_limit_is_shared_among_lanes_at_work() -> None:
    governor = Governor(limits(1000), lanes=4)
    assert governor.first_allowance() == Allowance(250)
    assert governor.heard(Report(1), 0.0) == Allowance(1000)
    assert governor.heard(Report(2), 0.0) == Allowance(500)
    assert governor.heard(Report(2), 20.0) == Allowance(1000)  # lane 1 is silent
    governor.heard(Report(3), 20.0)
    governor.left(3)
    assert governor.heard(Report(2), 20.0) == Allowance(1000)


def test_a_lane_sends_no_faster_than_it_may() -> None:
    clock = Clock()
    pace = lane(Governor(limits(1_000_000), 1), clock)
    began = clock()
    pace.begin(7)
    for block in range(1, 21):
        pace.sent(block, block * 250_000)
    assert 4.8 <= clock() - began <= 5.1


def test_a_new_limit_holds_soon_also_within_a_block() -> None:
    clock = Clock()
    governor = Governor(limits(1000), 1)
    pace = lane(governor, clock)
    pace.begin(7)
    began = clock()
    real_sleep = clock.sleep

    def sleep(seconds: float) -> None:
        real_sleep(seconds)
        if clock() - began > 3:
            governor.steer(limits(0))

    pace._sleep = sleep
    pace.sent(1, 1_000_000)  # 1000 s at the old limit
    assert clock() - began < 5


def test_without_a_limit_nobody_waits() -> None:
    clock = Clock()
    pace = lane(Governor(limits(), 4), clock)
    pace.begin(1)
    pace.sent(10, 10**9)
    assert clock() == 1000.0


def test_threads_on_a_server_hold_lanes_back_until_they_are_fewer() -> None:
    governor = Governor(limits(threads=100), 2)
    governor.seen("upstream", 101)
    assert governor.heard(Report(1), 0.0).holds
    assert governor.status(0.0)["waitsFor"] == "101 threads run on the upstream, more than max-threads-running 100"
    governor.seen("upstream", 95)
    assert governor.heard(Report(1), 1.0).holds  # not yet calm
    governor.seen("upstream", 90)
    assert not governor.heard(Report(1), 1.0).holds
    governor.seen("downstream", 5000)
    governor.steer(limits(threads=0))
    assert not governor.heard(Report(1), 1.0).holds


def test_a_crowded_server_slows_the_copy_and_does_not_end_it() -> None:
    clock = Clock()
    governor = Governor(limits(threads=1), 1)
    governor.seen("downstream", 9)
    pace = lane(governor, clock)
    pace.begin(1)
    assert 1030.0 <= clock() <= 1031.0


def test_refusals_make_all_lanes_wait_longer_and_longer() -> None:
    governor = Governor(limits(), 2)
    assert governor.heard(Report(1, busy="Server is busy"), 0.0).holds
    assert governor.heard(Report(2, busy="Server is busy"), 0.5).holds
    assert "refuses work: Server is busy; more is sent in 0 s" in governor.status(0.6)["waitsFor"]
    assert not governor.heard(Report(2), 1.1).holds
    governor.heard(Report(1, busy="Server is busy"), 2.0)
    assert governor.heard(Report(2), 3.9).holds
    assert not governor.heard(Report(2), 4.1).holds
    governor.heard(Report(1, busy="once more"), 200.0)  # long after: from the beginning
    assert not governor.heard(Report(2), 201.1).holds


def test_a_lane_that_is_told_to_stop_waits_for_nothing() -> None:
    clock = Clock()
    governor = Governor(limits(1), 1)
    pace = Pace(
        lambda report: governor.heard(report, clock()), Allowance(1), stopped=lambda: True, clock=clock,
        sleep=clock.sleep,
    )  # fmt: skip
    pace.begin(1)
    pace.sent(1, 10**6)
    assert clock() == 1000.0


def test_reports_and_answers_cross_the_line() -> None:
    heard: list[Report] = []

    def hear(report: Report) -> Allowance:
        heard.append(report)
        return Allowance(12.5, report.busy != "")

    server = LineServer("127.0.0.1", hear)
    try:
        address = server.address(Allowance(3.0))
        client = LineClient(address)
        assert client.ask(Report(5, 9, 10, 2**40)) == Allowance(12.5)
        assert client.ask(Report(5, 9, 0, 0, "Server is busy")) == Allowance(12.5, holds=True)
        assert heard == [Report(5, 9, 10, 2**40), Report(5, 9, 0, 0, "Server is busy")]
        stranger = LineClient(LineAddress(address.host, address.port, b"?" * 16, Allowance(3.0)))
        assert stranger.ask(Report(6)) is None
        assert len(heard) == 2
    finally:
        server.close()


def test_without_an_answer_a_lane_keeps_its_first_allowance() -> None:
    now = Clock()
    server = LineServer("127.0.0.1", lambda report: Allowance())
    address = server.address(Allowance(3.0))
    server.close()
    client = LineClient(address, clock=stepping(now))
    answers = [client.ask(Report(1)) for _ in range(4)]
    assert answers[:2] == [None, None]
    assert Allowance(3.0) in answers


def stepping(clock: Clock) -> Callable[[], float]:
    def step() -> float:
        clock.now += 0.05
        return clock.now

    return step


def test_where_executors_find_the_migration() -> None:
    assert reachable_host("local[*]") == "127.0.0.1"
    assert reachable_host("spark://10.0.0.1:7077", "driver.example") == "driver.example"
    assert reachable_host("spark://127.0.0.1:7077") == "127.0.0.1"
    assert reachable_host("yarn")


def test_lanes_of_several_threads_share_one_governor() -> None:
    governor = Governor(limits(8000), 8)
    threads = [threading.Thread(target=governor.heard, args=(Report(number), 0.0)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert governor.heard(Report(0), 0.0) == Allowance(1000)


def test_the_line_hangs_up_at_once() -> None:
    """Looked at by what the thread waits for: without a word it would sleep until its timeout."""
    server = LineServer("127.0.0.1", lambda report: Allowance())
    server._socket.settimeout(600)
    server.close()
    assert not server._thread.is_alive()
