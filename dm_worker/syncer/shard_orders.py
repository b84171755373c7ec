"""What dm-master has ordered about shard DDL, for the thread that waits for it."""

from __future__ import annotations

import threading
from collections.abc import Iterable

from pkg.shardddl.lock import Action, Order
from pkg.unit import StopSignal

_LOOK_SECONDS = 0.2  # how soon a stop is seen
_LOOKS = 5  # before who waits looks for something else


class ShardOrders:
    """A box: `give` by any thread, `wait` by the one that has come to a synced group."""

    def __init__(self) -> None:
        self._changed = threading.Condition()  # guards _orders
        self._orders: dict[str, Order] = {}  # by target

    def give(self, orders: Iterable[Order]) -> None:
        """All orders that hold at present."""
        with self._changed:
            self._orders = {order.target: order for order in orders}
            self._changed.notify_all()

    def wait(self, target: str, number: int, stop: StopSignal) -> Action | None:
        """The order for the DDL ``number`` of ``target``; None when it does not come for a while."""
        looks = 0
        with self._changed:
            while not stop.is_set() and looks < _LOOKS:
                looks += 1
                action = self._action(target, number)
                if action is not None:
                    return action
                self._changed.wait(_LOOK_SECONDS)
        return None

    def is_decided(self, target: str, number: int) -> bool:
        """Whether the DDL is to be executed or skipped now."""
        with self._changed:
            return self._action(target, number) in (Action.EXEC, Action.SKIP)

    def _action(self, target: str, number: int) -> Action | None:
        order = self._orders.get(target)
        return order.action if order is not None and order.number == number else None
