"""Ports for servers of tests."""

from __future__ import annotations

import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from multiprocessing import get_context
from pathlib import Path

from tests.servers.ports import HOST, free_port


def test_processes_that_ask_at_a_time_get_ports_of_their_own() -> None:
    with get_context("spawn").Pool(2) as pool, ThreadPoolExecutor(4) as threads:
        own = [threads.submit(free_port) for _ in range(50)]
        others = [pool.apply_async(free_port) for _ in range(50)]
        ports = [one.result() for one in own] + [one.get() for one in others]
    assert len(set(ports)) == 100
    low, high = map(int, Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split())
    assert not [port for port in ports if low <= port <= high]


def test_where_somebody_listens_is_passed_over() -> None:
    with socket.socket() as listener:
        following = free_port() + 1
        with suppress(OSError):  # somebody listens already
            listener.bind((HOST, following))
        assert free_port() != following
