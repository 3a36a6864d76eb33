"""Exceptions: one class for each kind of error of the engine."""

from __future__ import annotations


class Error(Exception):
    """An error of the engine. Its text is the engine's sentence.

    Attributes:
        status: the exit status that the program ``engine`` has for this kind of error.
    """

    status = 0


class UnverifiedError(Error):
    """A promise of an implementation does not hold."""

    status = 1


class UsageError(Error, ValueError):
    """A configuration or the arguments of a call are wrong."""

    status = 2


class UsageTypeError(UsageError, TypeError):
    """An argument has a wrong type."""


class UsageIndexError(UsageError, IndexError):
    """An index is beyond the end of an axis."""


class InputError(Error):
    """An input file cannot be read."""

    status = 3


class PluginError(Error):
    """A plugin cannot be loaded, or it failed."""

    status = 4


class DeviceError(Error):
    """A device failed, or there is not enough memory."""

    status = 5


class OutputError(Error):
    """A file cannot be written."""

    status = 6


_KINDS = {kind.status: kind for kind in (UnverifiedError, UsageError, InputError, PluginError, DeviceError, OutputError)}


def error_of(status: int, text: str) -> Error:
    """The exception for a status of the engine."""
    return _KINDS.get(status, Error)(text)
