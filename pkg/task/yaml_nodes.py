"""A YAML text as nodes: scanned by libyaml where it is there, five times as fast, and composed in Python.

Errors are those of PyYAML's own scanner, which alone knows them in the words that we translate.  libyaml's
composer is not used: it recurses in C, and a text that is nested deeply enough would end the process.
"""

from __future__ import annotations

import yaml
from yaml.composer import Composer
from yaml.resolver import Resolver

try:
    from yaml._yaml import CParser
except ImportError:  # PyYAML was built without libyaml
    CParser = None  # type: ignore[assignment,misc]


def compose(text: str) -> yaml.Node | None:
    """The text's one document; None for an empty text.  Raises yaml.YAMLError, RecursionError."""
    if CParser is not None and "\t" not in text:  # libyaml lets some tabs pass
        try:
            return _composed(_FastLoader(text))
        except (yaml.YAMLError, UnicodeError):
            pass  # said again, in other words
    return _composed(yaml.SafeLoader(text))


def _composed(loader: yaml.SafeLoader | _FastLoader) -> yaml.Node | None:
    try:
        node: yaml.Node | None = loader.get_single_node()
        return node
    finally:
        loader.dispose()


if CParser is not None:

    class _FastLoader(Composer, CParser, Resolver):
        """The methods of Composer come first."""

        def __init__(self, text: str) -> None:
            CParser.__init__(self, text)
            Composer.__init__(self)
            Resolver.__init__(self)
