"""A configuration text as plain data, with the place of every value in the file."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from typing import Any

import yaml

from pkg.errors import ErrorKind
from pkg.task.problems import BAD_TOML, BAD_YAML, Path, Problem, report_error
from pkg.task.yaml_nodes import compose

MAX_VALUES = 100_000  # aliases can blow a few bytes up to billions of values
MAX_DEPTH = 50

_INT = re.compile(r"[-+]?(0|[1-9][0-9]*)")
_HEX = re.compile(r"0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?([0-9]+\.[0-9]*|\.[0-9]+|[0-9]+)([eE][-+]?[0-9]+)?")
_NULLS = frozenset(("", "~", "null", "Null", "NULL"))
_TRUE = frozenset(form for word in ("true", "yes", "on") for form in (word, word.title(), word.upper()))
_FALSE = frozenset(form for word in ("false", "no", "off") for form in (word, word.title(), word.upper()))
_NAMED_BY_USER = re.compile(r"(undefined|duplicate) (alias|anchor|tag handle) ")
_STANDARD_TAG = "tag:yaml.org,2002:"
_TAGS = frozenset(("str", "int", "float", "bool", "null", "binary", "timestamp", "map", "seq", "merge", "value"))


@dataclass(slots=True)
class Document:
    """What a file says: plain values, where each stands, and how scalars were written."""

    file: str
    data: dict[str, Any]
    marks: dict[Path, tuple[int, int]] = field(default_factory=dict)  # of a key or list item; lines start at 1
    texts: dict[Path, str] = field(default_factory=dict)  # scalars as written, without quotes
    is_yaml: bool = True
    origins: dict[str, str] = field(default_factory=dict)  # options that come from elsewhere: by name, from where

    def place(self, path: Path) -> tuple[int, int]:
        """Line and column of a value, or of what should hold it."""
        while path and path not in self.marks:
            path = path[:-1]
        return self.marks.get(path, (1, 1))


class _Broken(Exception):
    def __init__(self, text: str, line: int, column: int, option: str = "") -> None:
        super().__init__(text)
        self.text, self.line, self.column, self.option = text, line, column, option


def parse_yaml(text: str, file: str) -> Document:
    """The YAML document of a file; what cannot be read is an error with its line."""
    try:
        return _YamlReader(file).document(compose(text.removeprefix("\ufeff")))
    except yaml.reader.ReaderError as exc:
        before = text[: exc.position]
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        raise _syntax_error(file, f"the character U+{_code(exc.character):04X} is not allowed", line, column) from None
    except yaml.MarkedYAMLError as exc:
        mark = exc.problem_mark or exc.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        raise _syntax_error(file, _yaml_problem(exc), line, column) from None
    except _Broken as exc:
        raise _syntax_error(file, exc.text, exc.line, exc.column, exc.option) from None
    except RecursionError:
        raise _syntax_error(file, "the values are nested too deeply", 1, 1) from None


def _yaml_problem(exc: yaml.MarkedYAMLError) -> str:
    problem = str(exc.problem or "not valid YAML")
    if match := _NAMED_BY_USER.search(problem):
        # the name stays untold: it is the rest of an unquoted password, sooner or later
        return f"not valid YAML: {match[1]} {match[2]}; a text that starts with `*`, `&` or `!` must be in quotes"
    if "'\\t'" in problem:
        return "a tab is not allowed here; indent with spaces"
    if "expected a single document" in str(exc.context) or "expected a single document" in problem:
        return "the file holds more than one YAML document"
    context = str(exc.context or "")
    start = f" (it starts in line {exc.context_mark.line + 1})" if exc.context_mark and exc.problem_mark else ""
    return f"not valid YAML: {context + ', ' if context else ''}{problem}{start if context else ''}"


def _syntax_error(
    file: str, text: str, line: int, column: int, option: str = "", kind: ErrorKind = BAD_YAML
) -> Exception:
    return report_error([Problem(file, line, column, option, text, kind=kind)])


class _YamlReader:
    """Turns composed nodes into a Document; explicit about everything that YAML would guess."""

    def __init__(self, file: str) -> None:
        self._document = Document(file, {})
        self._values = 0
        self._open: list[yaml.Node] = []

    def document(self, root: yaml.Node | None) -> Document:
        if root is None:
            raise _Broken("the file is empty", 1, 1)
        if not isinstance(root, yaml.MappingNode):
            raise _Broken("the file must be a list of `option: value`", *_place(root))
        self._document.data = self._mapping(root, ())
        return self._document

    def _value(self, node: yaml.Node, path: Path) -> Any:
        self._values += 1
        if self._values > MAX_VALUES or len(path) > MAX_DEPTH:
            raise _Broken("the file holds too many or too deeply nested values", *_place(node))
        if isinstance(node, yaml.ScalarNode):
            self._document.texts[path] = node.value
            return _scalar(node)
        if any(node is parent for parent in self._open):
            raise _Broken("an alias contains itself", *_place(node))
        _check_tag(node)
        self._open.append(node)
        try:
            return self._mapping(node, path) if isinstance(node, yaml.MappingNode) else self._sequence(node, path)
        finally:
            self._open.pop()

    def _sequence(self, node: yaml.Node, path: Path) -> list[Any]:
        for index, item in enumerate(node.value):
            self._document.marks[(*path, index)] = _place(item)
        return [self._value(item, (*path, index)) for index, item in enumerate(node.value)]

    def _mapping(self, node: yaml.MappingNode, path: Path) -> dict[str, Any]:
        found: dict[str, Any] = {}
        merged: dict[str, Any] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                raise _Broken("a list or mapping cannot be the name of an option", *_place(key_node))
            key = str(key_node.value)
            if key == "<<" and not key_node.style:
                self._merge(value_node, path, merged)
                continue
            if key in found:
                line = self._document.marks[(*path, key)][0]
                raise _Broken(f"`{key}` is there twice, first in line {line}", *_place(key_node), key)
            self._document.marks[(*path, key)] = _place(key_node)
            found[key] = self._value(value_node, (*path, key))
        return {**merged, **found}

    def _merge(self, node: yaml.Node, path: Path, merged: dict[str, Any]) -> None:
        for part in node.value if isinstance(node, yaml.SequenceNode) else [node]:
            if not isinstance(part, yaml.MappingNode):
                raise _Broken("`<<` must name a mapping", *_place(part))
            for key, value in self._value(part, path).items():
                merged.setdefault(key, value)


def _code(character: int | str) -> int:
    """PyYAML gives the number or the character, as it comes."""
    return character if isinstance(character, int) else ord(character[0])


def _check_tag(node: yaml.Node) -> str:
    kind = str(node.tag).removeprefix(_STANDARD_TAG)
    if kind not in _TAGS:
        raise _Broken("a tag is not allowed here; a text that starts with `!` must be in quotes", *_place(node))
    return kind


def _scalar(node: yaml.ScalarNode) -> Any:
    text = str(node.value)
    if _check_tag(node) in ("str", "binary", "timestamp") or node.style:
        return text
    if text in _NULLS:
        return None
    if text in _TRUE or text in _FALSE:
        return text in _TRUE
    if len(text) < 40 and _INT.fullmatch(text):
        return int(text)
    if len(text) < 40 and _HEX.fullmatch(text):
        return int(text, 16)
    return float(text) if _FLOAT.fullmatch(text) else text


def _place(node: yaml.Node) -> tuple[int, int]:
    return node.start_mark.line + 1, node.start_mark.column + 1


_TOML_PLACE = re.compile(r"^(.*) \(at (?:line (\d+), column (\d+)|end of document)\)$", re.DOTALL)
_TOML_SECTION = re.compile(r"\s*\[\s*([^\[\]]+?)\s*\]")
_TOML_KEY = re.compile(
    r"""\s*((?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*'))*)\s*="""
)


def parse_toml(text: str, file: str, kind: ErrorKind = BAD_TOML) -> Document:
    """The TOML document of a file; what cannot be read is an error with its line."""
    text = text.removeprefix("\ufeff")
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as exc:
        match = _TOML_PLACE.match(str(exc))
        line = int(match[2]) if match and match[2] else text.count("\n") + 1
        column = int(match[3]) if match and match[3] else 1
        problem = match[1] if match else str(exc)
        raise _syntax_error(file, f"not valid TOML: {problem}", line, column, kind=kind) from None
    except RecursionError:
        raise _syntax_error(file, "the values are nested too deeply", 1, 1, kind=kind) from None
    return Document(file, data, _toml_marks(text), is_yaml=False)


def _toml_marks(text: str) -> dict[Path, tuple[int, int]]:
    """Lines of keys, by a scan that knows sections and `key =`; a key inside an inline table has its line."""
    marks: dict[Path, tuple[int, int]] = {}
    section: Path = ()
    for number, line in enumerate(text.split("\n"), start=1):
        if match := _TOML_SECTION.match(line):
            section = _toml_path(match[1])
            marks.setdefault(section, (number, 1))
        elif match := _TOML_KEY.match(line):
            marks.setdefault(section + _toml_path(match[1]), (number, match.start(1) + 1))
    return marks


def _toml_path(dotted: str) -> Path:
    return tuple(part.strip().strip("\"'") for part in dotted.split("."))
