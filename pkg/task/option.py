"""Options: the base of all configuration models, and what the reference says about each field."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any, cast

from pydantic import BaseModel, ConfigDict, Field
from pydantic.fields import FieldInfo

from pkg.errors import ErrorKind


class Status(Enum):
    """How far this version acts on an option."""

    SUPPORTED = "supported"
    TUNING = "accepted, without effect"  # tunes machinery of DM's that is not here; a warning says so
    REFUSED = "refused"  # another value than the accepted ones would change what arrives downstream


@dataclass(frozen=True, slots=True)
class Option:
    """What is known of an option beside its type and default."""

    status: Status = Status.SUPPORTED
    reason: str = ""  # why it has no effect or is refused
    accepted: tuple[object, ...] = ()  # values of a REFUSED option that may be written, beside its default
    unit: str = ""
    old_names: tuple[str, ...] = ()  # deprecated spellings that still work
    deprecated: str = ""  # what to write instead, for an option that is itself deprecated
    dm_default: str = ""  # DM's default where ours differs
    kind: ErrorKind | None = None  # the error of a wrong value, where DM has a code of its own
    sample: object = None  # the value shown in the sample file
    required: bool = False


class Model(BaseModel):
    """Base of the configuration models: names with hyphens in files, with underscores in Python."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        alias_generator=lambda name: name.rstrip("_").replace("_", "-"),
        populate_by_name=True,
        hide_input_in_errors=True,  # inputs may hold secrets; our own report shows what may be shown
        validate_default=True,
        arbitrary_types_allowed=False,
    )


def option(
    default: Any,
    description: str,
    *,
    status: Status = Status.SUPPORTED,
    reason: str = "",
    accepted: tuple[object, ...] = (),
    unit: str = "",
    old_names: tuple[str, ...] = (),
    deprecated: str = "",
    dm_default: str = "",
    kind: ErrorKind | None = None,
    sample: object = None,
    alias: str | None = None,
    **constraints: Any,
) -> Any:
    """A model field with its description; ``default=...`` makes it required."""
    about = Option(
        status=status,
        reason=reason,
        accepted=accepted,
        unit=unit,
        old_names=old_names,
        deprecated=deprecated,
        dm_default=dm_default,
        kind=kind,
        sample=sample,
        required=default is ...,
    )
    extra = cast("dict[str, Any]", {"option": about})
    if isinstance(default, (dict, list)):
        constraints["default_factory"] = default.copy
    elif isinstance(default, type):
        constraints["default_factory"] = default
    else:
        constraints["default"] = default
    return Field(description=description, alias=alias, json_schema_extra=extra, **constraints)


def tuning(default: Any, description: str, reason: str, **more: Any) -> Any:
    """An option that only tunes machinery of DM's that is not here."""
    return option(default, description, status=Status.TUNING, reason=reason, **more)


def refused(default: Any, description: str, reason: str, accepted: tuple[object, ...] = (), **more: Any) -> Any:
    """An option that this version does not act on and that would change what arrives."""
    return option(default, description, status=Status.REFUSED, reason=reason, accepted=accepted, **more)


def about(field: FieldInfo) -> Option:
    """The Option of a model field."""
    extra = field.json_schema_extra
    found = extra.get("option") if isinstance(extra, dict) else None
    return found if isinstance(found, Option) else Option()


def file_name(name: str, field: FieldInfo) -> str:
    """How the field is written in a file."""
    return field.alias or name


def options_of(model: type[BaseModel]) -> dict[str, tuple[str, FieldInfo]]:
    """Every option of a model by its name in files → (name in Python, field)."""
    return {file_name(name, field): (name, field) for name, field in model.model_fields.items()}
