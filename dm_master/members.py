"""``list-member`` and ``operate-source show``: who is there and who has what, in DM's JSON shape."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from dm_master.cluster import Cluster
from dm_master.observed import Picture

Body = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Myself:
    """This dm-master."""

    name: str
    address: str  # that others reach it by


def list_member(
    picture: Picture, me: Myself, *, leader: bool, master: bool, worker: bool, names: Collection[str]
) -> Body:
    """The groups asked for (none: all three), each narrowed to ``names``."""
    everything = not (leader or master or worker)
    members: list[Body] = []
    if (leader or everything) and picture.leader is not None:
        members.append({"leader": {"msg": "", "name": picture.leader.name, "addr": picture.leader.address}})
    if master or everything:
        members.append({"master": {"msg": "", "masters": _masters(picture, me, names)}})
    if worker or everything:
        members.append({"worker": {"msg": "", "workers": _workers(picture.cluster, names)}})
    return {"result": True, "msg": "", "members": members}


def _masters(picture: Picture, me: Myself, names: Collection[str]) -> list[Body]:
    # Only the leader writes its address down; those who stand by are not known to each other.
    known = {me.name: me.address}
    if picture.leader is not None:
        known[picture.leader.name] = picture.leader.address
    return [
        {
            "name": name,
            "memberID": name,
            "alive": True,
            "peerURLs": [],
            "clientURLs": [f"http://{address}"],
        }
        for name, address in sorted(known.items())
        if not names or name in names
    ]


def _workers(cluster: Cluster, names: Collection[str]) -> list[Body]:
    found: list[Body] = []
    for name, fact in sorted(cluster.workers.items()):
        if not names or name in names:
            bound = cluster.bound_of(name)
            source = bound.source if bound else ""
            found.append({"name": name, "addr": fact.address, "stage": str(cluster.stage_of(name)), "source": source})
    return found


def show_sources(cluster: Cluster, wanted: Collection[str]) -> Body:
    """Every source (or those wanted) and its worker."""
    unknown = sorted(set(wanted) - set(cluster.sources))
    answers = [_shown(cluster, source) for source in sorted(cluster.sources) if not wanted or source in wanted]
    answers += [
        {"result": False, "msg": f"source {source} is not known", "source": source, "worker": ""} for source in unknown
    ]
    return {"result": True, "msg": "", "sources": answers}


def _shown(cluster: Cluster, source: str) -> Body:
    worker = cluster.worker_of(source)
    message = "" if worker else "source is added but there is no free worker to bound"
    return {"result": True, "msg": message, "source": source, "worker": worker}
