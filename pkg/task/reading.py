"""Reading a document against a model: names, types, status; every problem, and plain data for pydantic.

The order is: (1) walk the document beside the model and report unknown names, deprecated names, wrong types and
options without effect; (2) let pydantic judge the values; (3) let the caller check how options fit together.
All three add to one list of problems.
"""

from __future__ import annotations

import types
import typing
from datetime import timedelta
from enum import Enum
from typing import Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from pkg.errors import ErrorKind
from pkg.task.document import Document
from pkg.task.option import Status, about, options_of
from pkg.task.problems import REFUSED_OPTION, Path, Problem, nearest_word, option_path
from pkg.task.secret import HIDDEN, Secret
from pkg.task.values import parse_duration, parse_size

_SECRET_NAMES = frozenset(("password", "ssl-key-bytes", "ssl-key-base64", "metastore-url"))
_EMPTY: tuple[object, ...] = (None, "", [], {})
_MISSING = object()
_TYPE_WORDS: dict[type, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a text",
    list: "a list",
    dict: "a block of options",
}


class Reader:
    """Collects the problems and warnings of one document."""

    def __init__(self, document: Document, unknown: ErrorKind | None = None) -> None:
        self.document = document
        self.problems: list[Problem] = []
        self.warnings: list[Problem] = []
        self._unknown = unknown  # the kind of an unknown option, where DM has one for this file
        self._written: dict[Path, str] = {}  # deprecated name of an option that was renamed
        self._judged: set[Path] = set()  # paths with a problem: pydantic need not complain again

    def read(self, model: type[BaseModel]) -> dict[str, Any]:
        """The document as data for ``model``, with current names."""
        return self._mapping(model, self.document.data, ())

    def validate(self, model: type[BaseModel], data: dict[str, Any]) -> BaseModel | None:
        """The model, or None and more problems."""
        try:
            return model.model_validate(data)
        except ValidationError as exc:
            for error in exc.errors(include_url=False, include_input=False, include_context=True):
                self._add_pydantic(model, error)
            return None

    def problem(
        self, path: Path, text: str, kind: ErrorKind | None = None, *, near: str = "", show: bool = True
    ) -> None:
        """Report what is wrong at ``path``."""
        self._judged.add(path)
        self.problems.append(self._entry(path, text, kind, near, show))

    def has_problem(self, path: Path) -> bool:
        """Whether something at or under ``path`` is wrong."""
        return any(judged[: len(path)] == path for judged in self._judged)

    def warn(self, path: Path, text: str, *, show: bool = True) -> None:
        self.warnings.append(self._entry(path, text, None, "", show))

    def _entry(self, path: Path, text: str, kind: ErrorKind | None, near: str, show: bool) -> Problem:
        line, column = self.document.place(path)
        value = self._shown(path) if show else ""
        file = self.document.origins.get(str(path[0]), self.document.file) if path else self.document.file
        return Problem(file, line, column, self._name(path), text, value, near, kind)

    def _name(self, path: Path) -> str:
        return option_path(tuple(self._written.get(path[: n + 1], part) for n, part in enumerate(path)))

    def _shown(self, path: Path) -> str:
        """The value as the file has it; a secret hidden, a block or list left out."""
        value: Any = self.document.data
        for depth, part in enumerate(path):
            key = self._written.get(path[: depth + 1], part)
            if isinstance(value, dict):
                value = value.get(str(key), _MISSING)
            elif isinstance(value, list) and isinstance(part, int) and part < len(value):
                value = value[part]
            else:
                return ""
        if value is _MISSING or value is None or isinstance(value, (list, dict)):
            return ""
        if any(str(part) in _SECRET_NAMES for part in path):
            return HIDDEN
        text = self.document.texts.get(self._written_path(path), str(value))
        text = text if len(text) <= 80 else text[:77] + "..."
        return repr(text) if isinstance(value, str) else text

    def _written_path(self, path: Path) -> Path:
        return tuple(self._written.get(path[: n + 1], part) for n, part in enumerate(path))

    # -- (1) the walk

    def _mapping(self, model: type[BaseModel], data: dict[str, Any], path: Path) -> dict[str, Any]:
        options = options_of(model)
        current = {old: name for name, (_, field) in options.items() for old in about(field).old_names}
        found: dict[str, Any] = {}
        for key, value in data.items():
            if key in current:
                self._renamed(key, current[key], data, path, found, options)
            elif key not in options:
                near = nearest_word(key, [*options, *current])
                self.problem((*path, key), "there is no such option", self._unknown, near=near, show=False)
            elif value is not None:
                self._option(key, value, options[key][1], (*path, key), found)
        return found

    def _renamed(
        self,
        old: str,
        name: str,
        data: dict[str, Any],
        path: Path,
        found: dict[str, Any],
        options: dict[str, tuple[str, FieldInfo]],
    ) -> None:
        value = data[old]
        if value in _EMPTY:
            return
        if data.get(name) not in _EMPTY:
            self.problem((*path, old), f"it is the old name of `{name}`, which is there, too: take one of them out")
            return
        self._written[(*path, name)] = old
        self.document.marks[(*path, name)] = self.document.place((*path, old))
        if not _is_default(value, options[name][1]):
            self.warn((*path, name), f"the name is deprecated: write `{name}`", show=False)
        self._option(name, value, options[name][1], (*path, name), found)

    def _option(self, key: str, value: Any, field: FieldInfo, path: Path, found: dict[str, Any]) -> None:
        option, annotation = about(field), field.annotation
        if value == "" and not _takes_empty_text(annotation):
            return  # DM writes "" for "the default"
        before = len(self.problems)
        if option.unit == "bytes" and plain_type(annotation) is int and isinstance(value, str):
            value = self._bytes(value, path, option.kind)
        clean = _MISSING if value is _MISSING else self._value(annotation, value, path, option.kind)
        if len(self.problems) == before:
            self._judge_status(clean, field, path)
        if clean is not _MISSING:
            found[key] = clean

    def _bytes(self, text: str, path: Path, kind: ErrorKind | None) -> Any:
        """A number of bytes that is written with a unit."""
        try:
            return parse_size(text)
        except ValueError as exc:
            self.problem(path, str(exc), kind)
            return _MISSING

    def _judge_status(self, value: Any, field: FieldInfo, path: Path) -> None:
        option = about(field)
        if value in _EMPTY or _is_default(value, field):
            return
        if option.status is Status.REFUSED and not _is_one_of(value, option.accepted):
            choices = choices_of(field.annotation)
            if not choices or _is_one_of(value, choices):  # a word that does not exist is pydantic's to refuse
                self.problem(path, option.reason, option.kind or REFUSED_OPTION)
        elif option.status is Status.TUNING and inner_model(field.annotation) is None:
            self.warn(path, f"has no effect here: {option.reason}", show=False)
        elif option.deprecated and option.deprecated != "nothing":
            self.warn(path, f"deprecated: write `{option.deprecated}`", show=False)

    def _value(self, annotation: Any, value: Any, path: Path, kind: ErrorKind | None) -> Any:
        """The value in the type that the model wants; ``_MISSING`` after a problem."""
        inner = plain_type(annotation)
        model = inner_model(inner)
        if model is not None:
            return self._mapping(model, value, path) if self._is_a(dict, value, path, kind) else _MISSING
        origin = get_origin(inner)
        if origin in (list, tuple):
            return self._items(get_args(inner)[0], value, path, kind)
        if origin is dict:
            return self._entries(get_args(inner)[1], value, path, kind)
        return self._scalar(inner, value, path, kind)

    def _items(self, item_type: Any, value: Any, path: Path, kind: ErrorKind | None) -> Any:
        if not self._is_a(list, value, path, kind):
            return _MISSING
        items = [self._value(item_type, item, (*path, index), kind) for index, item in enumerate(value)]
        return [item for item in items if item is not _MISSING] if len(items) else []

    def _entries(self, value_type: Any, value: Any, path: Path, kind: ErrorKind | None) -> Any:
        if not self._is_a(dict, value, path, kind):
            return _MISSING
        found: dict[str, Any] = {}
        for name, entry in value.items():
            blank: Any = {} if inner_model(value_type) else ""
            clean = self._value(value_type, blank if entry is None else entry, (*path, name), kind)
            if clean is not _MISSING:
                found[name] = clean
        return found

    def _scalar(self, wanted: Any, value: Any, path: Path, kind: ErrorKind | None) -> Any:
        if wanted is Any:
            return value
        if wanted in (bool, int, float):
            accepted = (int, float) if wanted is float else (wanted,)
            right = isinstance(value, accepted) and (wanted is bool or not isinstance(value, bool))
            return value if right or not self._type_problem(wanted, path, kind) else _MISSING
        if wanted is timedelta:
            return value
        if isinstance(value, list) and str(path[-1]).endswith("-bytes"):
            return value  # DM writes certificates as lists of byte values
        if isinstance(value, (list, dict)):
            self._type_problem(str, path, kind)
            return _MISSING
        if isinstance(value, str):
            return value
        text = self.document.texts.get(self._written_path(path))  # 0123 and 1e3 mean their characters here
        if text is None and not self.document.is_yaml:
            self._type_problem(str, path, kind)
            return _MISSING
        return text if text is not None else ("" if value is None else str(value))

    def _is_a(self, wanted: type, value: Any, path: Path, kind: ErrorKind | None) -> bool:
        return isinstance(value, wanted) or not self._type_problem(wanted, path, kind, show=wanted is not dict)

    def _type_problem(self, wanted: type, path: Path, kind: ErrorKind | None, show: bool = True) -> bool:
        self.problem(path, f"must be {_TYPE_WORDS[wanted]}", kind, show=show)
        return True

    # -- (2) pydantic's judgement

    def _add_pydantic(self, model: type[BaseModel], error: Any) -> None:
        path: Path = tuple(part for part in error["loc"] if part != "[key]")
        if any(path[:depth] in self._judged for depth in range(1, len(path) + 1)):
            return
        field = _field_at(model, path)
        kind = about(field).kind if field is not None else None
        choices = (
            choices_of(field.annotation) if field is not None and error["type"] in ("literal_error", "enum") else []
        )
        text, near = _words(error), ""
        if choices:
            text = "must be " + " or ".join(repr(choice) if choice == "" else f"`{choice}`" for choice in choices)
            near = nearest_word(self._shown(path).strip("'\""), choices)
        self.problem(path, text, kind, near=near)


def _words(error: Any) -> str:
    """pydantic's message as we say it."""
    message = str(error["msg"])
    if error["type"] == "missing":
        return "is required"
    if error["type"] in ("string_too_short", "too_short"):
        return "must not be empty"
    return message.removeprefix("Value error, ").replace("Input should be", "must be").replace("Input should", "must")


def _field_at(model: type[BaseModel], path: Path) -> FieldInfo | None:
    """The innermost option that ``path`` goes through."""
    field: FieldInfo | None = None
    current: type[BaseModel] | None = model
    for part in path:
        if current is not None and part in options_of(current):
            field = options_of(current)[str(part)][1]
            current = inner_model(field.annotation) or _element_model(field.annotation)
    return field


def plain_type(annotation: Any) -> Any:
    """The annotation without Annotated and `| None`."""
    while get_origin(annotation) is typing.Annotated:
        annotation = get_args(annotation)[0]
    if get_origin(annotation) in (Union, types.UnionType):
        kept = [part for part in get_args(annotation) if part is not type(None)]
        return plain_type(kept[0]) if len(kept) == 1 else annotation
    return annotation


def inner_model(annotation: Any) -> type[BaseModel] | None:
    plain = plain_type(annotation)
    return plain if isinstance(plain, type) and issubclass(plain, BaseModel) else None


def _element_model(annotation: Any) -> type[BaseModel] | None:
    plain = plain_type(annotation)
    arguments = get_args(plain)
    return inner_model(arguments[-1]) if get_origin(plain) in (list, dict) and arguments else None


def choices_of(annotation: Any) -> list[str]:
    """The words of a Literal or Enum."""
    plain = plain_type(annotation)
    if get_origin(plain) is Literal:
        return [str(choice) for choice in get_args(plain)]
    if isinstance(plain, type) and issubclass(plain, Enum):
        return [str(member.value) for member in plain]
    return []


def _takes_empty_text(annotation: Any) -> bool:
    choices = choices_of(annotation)
    return "" in choices if choices else plain_type(annotation) in (str, Secret, Any)


def _is_one_of(value: Any, accepted: typing.Iterable[object]) -> bool:
    folded = value.lower() if isinstance(value, str) else value
    return any(folded == choice for choice in accepted)


def _is_default(value: Any, field: FieldInfo) -> bool:
    default = field.get_default(call_default_factory=True)
    if plain_type(field.annotation) is timedelta and isinstance(value, str):
        try:
            return bool(parse_duration(value) == parse_duration(default))
        except ValueError:
            return True  # pydantic will say what is wrong with it
    if isinstance(default, str) and isinstance(value, int) and not isinstance(value, bool):
        return str(value) == default
    return type(default) is type(value) and _is_one_of(value, [default])


def value_kind(annotation: Any) -> str | None:
    """How a command line gives such an option: "bool", "int", "float", "list", "text", or not at all."""
    plain = plain_type(annotation)
    if get_origin(plain) is dict or inner_model(plain) is not None:
        return None
    if get_origin(plain) is list:
        return "list"
    return {bool: "bool", int: "int", float: "float"}.get(plain, "text")
