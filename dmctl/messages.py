"""Protobuf messages as plain values with DM's JSON shape.

DM prints every field (defaults too) in the order of the protocol, 64-bit integers as text, enums by name and an
absent message as null.  The library's own converter puts defaults last and leaves absent messages out.
"""

from __future__ import annotations

from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

_INT64 = frozenset(
    {
        FieldDescriptor.CPPTYPE_INT64,
        FieldDescriptor.CPPTYPE_UINT64,
    }
)


def as_body(message: Message) -> dict[str, Any]:
    """The message as a dictionary; of a oneof only the member that is set."""
    body: dict[str, Any] = {}
    for field in message.DESCRIPTOR.fields:
        if field.containing_oneof is not None and not message.HasField(field.name):
            continue
        body[field.json_name] = _field_value(message, field)
    return body


def _field_value(message: Message, field: Any) -> Any:
    if field.is_repeated:
        return [_plain(field, item) for item in getattr(message, field.name)]
    is_message = field.cpp_type == FieldDescriptor.CPPTYPE_MESSAGE
    return None if is_message and not message.HasField(field.name) else _plain(field, getattr(message, field.name))


def _plain(field: Any, value: Any) -> Any:
    if field.cpp_type == FieldDescriptor.CPPTYPE_MESSAGE:
        return as_body(value)
    if field.cpp_type in _INT64:
        return str(value)
    if field.cpp_type == FieldDescriptor.CPPTYPE_ENUM:
        return _enum_name(field, value)
    if field.cpp_type in (FieldDescriptor.CPPTYPE_DOUBLE, FieldDescriptor.CPPTYPE_FLOAT):
        return int(value) if value == value and value.is_integer() else value  # Go prints 0, not 0.0
    return value


def _enum_name(field: Any, number: int) -> str | int:
    known = field.enum_type.values_by_number.get(number)
    return str(known.name) if known else number
