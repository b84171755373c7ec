"""Telling systemd how the service is (``Type=notify``); nothing happens when it did not start us."""

from __future__ import annotations

import os
import socket

_ADDRESS = "NOTIFY_SOCKET"


def notify(state: str) -> bool:
    """Send ``READY=1``, ``STOPPING=1`` or ``STATUS=…``; whether there was somebody to tell."""
    address = os.environ.get(_ADDRESS, "")
    if not address:
        return False
    if address.startswith("@"):
        address = "\0" + address[1:]
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as notifier:
            notifier.connect(address)
            notifier.sendall(state.encode())
    except OSError:
        return False
    return True
