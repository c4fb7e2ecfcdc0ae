"""Failures as exceptions, whose attributes say what went wrong and where. None of them contains a cell of the data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._summary import Summary


class ThrongError(Exception):
    """The base class of all of throng's exceptions.

    >>> error = BadInput("people: column 'age': odd", kind="bad-input", column="age")
    >>> error.column, error.row
    ('age', None)
    """

    def __init__(
        self,
        message: str,
        *,
        kind: str = "bad-input",
        file: str | None = None,
        row: int | None = None,
        column: str | None = None,
        columns: list[str] | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message)
        #: Which kind of error it is, as the command's ``--json`` says it.
        self.kind = kind
        #: The file, or the frame, at fault.
        self.file = file
        #: The row of the table, from 1; its header is row 0.
        self.row = row
        #: The column at fault, the first if there are several.
        self.column = column
        #: All columns at fault.
        self.columns = columns if columns is not None else ([column] if column is not None else [])
        #: What would help.
        self.hint = hint

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuild, (type(self), str(self), self.__dict__.copy()))


class BadInput(ThrongError, ValueError):
    """The input cannot be used: the command's exit code 2."""


class MachineFailed(ThrongError, RuntimeError):
    """The machine failed, or the release did not pass the check: the command's exit code 3."""


class Infeasible(ThrongError):
    """There is no admissible release: the command's exit code 1. Nothing was written.

    ``summary`` says what was searched, and what would be possible instead.
    """

    #: What the search found.
    summary: Summary | None = None


def _rebuild(kind: type[ThrongError], message: str, parts: dict[str, Any]) -> ThrongError:
    error = kind(message)
    error.__dict__.update(parts)
    return error
