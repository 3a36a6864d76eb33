"""The objects of libengine that a run needs: a context with its hooks, and a configuration."""

from __future__ import annotations

import ctypes
import itertools
import logging
import operator
import os
import signal
import threading
import weakref
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Optional, Union

from ._errors import UsageError, UsageTypeError, error_of
from ._native import MESSAGE, STOP, Hooks, Picture, c_void_p, lib, sized, take_text, texts
from . import _native

PathLike = Union[str, "os.PathLike[str]"]
Settings = Mapping[str, Any]
ConfigLike = Union[PathLike, Settings, None]

_log = logging.getLogger("engine")
_PATH_SIZE = 4096
_LEVELS = (logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR)


class _Calls:
    """What the library calls while it works: messages go to ``logging``, and Ctrl-C asks it to stop.

    It does not refer to the context, so a context is closed as soon as nothing uses it.
    """

    def __init__(self) -> None:
        self.exception: Optional[BaseException] = None
        """What could not pass through the library, and is raised when the library has returned."""
        self.watch: Optional[Callable[[], None]] = None
        """Is called between two calls of a plugin."""
        stopping = self._stopping()
        next(stopping)
        self.functions = (MESSAGE(self._message), STOP(stopping.send))

    def _message(self, _user: Any, level: int, source: bytes, text: bytes) -> None:
        try:
            _log.log(_LEVELS[level], "%s: %s", source.decode(), text.decode())
        except BaseException as problem:
            self.exception = problem

    def _stopping(self) -> Generator[int, None, None]:
        """Says whether to stop, at each ``send``.

        Python runs the handlers of signals that have arrived, such as Ctrl-C's, before it runs the next line of Python.
        In a function that would be before its first line, where nothing could catch what a handler raises. A generator
        goes on inside its ``try``.
        """
        while True:
            try:
                while True:
                    yield signal.SIGINT if self.exception else 0
                    if self.watch:
                        self.watch()
            except GeneratorExit:
                return
            except BaseException as problem:
                # Whoever catches it may clear the frames of its traceback, which would end this generator.
                trace = problem.__traceback__
                self.exception = problem.with_traceback(trace and trace.tb_next)

    def settle(self) -> None:
        """Raises what happened while the library worked."""
        if self.exception is not None:
            problem, self.exception = self.exception, None
            raise problem


class Context:
    """A context of the library. Only one thread at a time uses it: ``lock`` sees to that."""

    def __init__(self, plugins: Iterable[PathLike] = ()) -> None:
        folders = [os.fspath(folder) for folder in ([plugins] if isinstance(plugins, (str, os.PathLike)) else plugins)]
        path = os.environ.get("ENGINE_PLUGIN_PATH")
        self.lock = threading.RLock()
        self.calls = _Calls()
        self.error = _native.Error()
        self.error_at = ctypes.byref(self.error)
        message, stop = self.calls.functions
        hooks = sized(
            Hooks,
            plugin_folder_count=len(folders),
            plugin_folders=texts(folders),
            plugin_path=os.fsencode(path) if path else None,
            message=message,
            stop=stop,
        )
        self.handle = c_void_p()
        self.call(lib.engine_open, ctypes.byref(hooks), ctypes.byref(self.handle))
        self._close = weakref.finalize(self, _close_context, self.handle, self.calls)

    def call(self, function: Callable[..., int], *arguments: Any) -> None:
        """Calls a function whose last argument is the error, and raises the error. Ctrl-C asks the function to stop."""
        with self.lock:
            status = function(*arguments, self.error_at)
            if self.calls.exception is not None:
                self.calls.settle()
            if status:
                raise error_of(self.error.status, self.error.text.decode(errors="replace"))

    def text(self, function: Callable[..., int], *arguments: Any) -> str:
        """The text that a function returns through its last but one argument."""
        text = c_void_p()
        self.call(function, *arguments, ctypes.byref(text))
        return take_text(text)


def _close_context(handle: c_void_p, _calls: _Calls) -> None:
    lib.engine_close(handle)


def encoded(text: Union[PathLike, bytes]) -> bytes:
    """A path or another text for the library, which would read it up to a zero byte."""
    raw = os.fsencode(text)
    if b"\0" in raw:
        raise UsageError(f"{text!r} contains a zero byte")
    return raw


def whole(number: Any, name: str, least: int = 0, bits: int = 64) -> int:
    """A whole number for the library. ctypes would drop the higher bits of one that does not fit."""
    try:
        value = operator.index(number)
    except TypeError:
        raise UsageTypeError(f"{name} is {number!r}, expected a whole number") from None
    if not least <= value < 1 << bits:
        raise UsageError(f"{name} is {value}, expected {least} to {(1 << bits) - 1}")
    return value


def value_text(value: Any) -> str:
    """A value as a configuration has it: True is "yes", and (64, 48) is "64 48"."""
    if hasattr(value, "tolist"):  # NumPy
        value = value.tolist()
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (str, bytes, os.PathLike)):
        return os.fsdecode(value)
    if isinstance(value, Sequence):
        return " ".join(value_text(item) for item in value)
    return repr(value)


def assignments(settings: Optional[Settings]) -> list[str]:
    """Settings as the engine takes them: "run.steps=100". A section may be a mapping of its own."""
    pairs = [
        (f"{key}.{name}" if name else key, item)
        for key, value in (settings or {}).items()
        for name, item in (value.items() if isinstance(value, Mapping) else [("", value)])
    ]
    return [f"{key}={value_text(value)}" for key, value in pairs]


def section_keys() -> Iterator[tuple[str, str]]:
    """The keys of the engine's own sections: ("grid", "edges")."""
    for number in itertools.count():
        section = lib.engine_section_at(number)
        if not section:
            return
        for key in section.contents.keys.items(_native.Param):
            yield section.contents.name.decode(), key.name.decode()


def as_settings(name: str, value: Any) -> str:
    """How to give a key that was given as an argument of a function."""
    found = [f"settings={{'{section}.{key}': {value!r}}}" for section, key in section_keys() if key == name]
    return "give " + " or ".join(found or ["keys of a configuration as settings={'section.key': value}"])


def find_config(path: PathLike) -> str:
    """The path of a configuration: the file itself, or one of that name that comes with the engine."""
    text = os.fspath(path)
    if not os.path.exists(text) and not os.path.isabs(text):
        here = Path(__file__).resolve().parent
        for folder in (here / "configs", here.parents[1] / "configs"):
            if (folder / text).is_file():
                return str(folder / text)
    return text


class Config:
    """A configuration: a file, settings, or both."""

    def __init__(self, context: Context, config: ConfigLike, settings: Optional[Settings] = None) -> None:
        self.context = context
        self.handle = c_void_p()
        path = None
        if isinstance(config, Mapping):
            settings = {**config, **(settings or {})}
        elif config is not None:
            path = encoded(find_config(config))
        context.call(lib.engine_config_open, context.handle, path, ctypes.byref(self.handle))
        self._close = weakref.finalize(self, _close_config, self.handle, context)
        for assignment in assignments(settings):
            context.call(lib.engine_config_set, self.handle, encoded(assignment))
        self._find_pattern()

    def _find_pattern(self) -> None:
        """Takes the pattern that comes with the engine if [init] file names one and there is no such file."""
        file, path = lib.engine_config_get(self.handle, b"init", b"file"), ctypes.create_string_buffer(_PATH_SIZE)
        if not file or os.path.exists(lib.engine_config_resolve(self.handle, file, path, _PATH_SIZE)):
            return
        asked = os.path.join("patterns", os.fsdecode(file).removeprefix("patterns/"))
        found = find_config(asked)
        if found != asked:
            _log.info("[init] file: %s is the pattern of this name that comes with the engine", os.fsdecode(file))
            self.context.call(lib.engine_config_put, self.handle, b"init", b"file", encoded(found))

    @classmethod
    def made_by(cls, context: Context, function: Callable[..., int], *arguments: Any) -> Config:
        """The configuration that a function of the library makes."""
        made = cls.__new__(cls)
        made.context, made.handle = context, c_void_p()
        context.call(function, *arguments, ctypes.byref(made.handle))
        made._close = weakref.finalize(made, _close_config, made.handle, context)
        return made

    def changed(self, section: str, values: Mapping[str, str]) -> Config:
        """A copy with other values of keys."""
        copy = Config.made_by(self.context, lib.engine_config_copy, self.handle)
        for key, value in values.items():
            self.context.call(lib.engine_config_put, copy.handle, encoded(section), encoded(key), encoded(value))
        return copy

    def settings(self) -> dict[str, str]:
        """The keys and their texts."""
        section, key, number = ctypes.c_char_p(), ctypes.c_char_p(), 0
        found: dict[str, str] = {}
        while lib.engine_config_at(self.handle, number, ctypes.byref(section), ctypes.byref(key)):
            name = f"{os.fsdecode(section.value or b'')}.{os.fsdecode(key.value or b'')}"
            found[name] = os.fsdecode(lib.engine_config_get(self.handle, section, key))
            number += 1
        return found


def _close_config(handle: c_void_p, _context: Context) -> None:
    lib.engine_config_close(handle)


class State:
    """A run of the library. Views of its memory refer to it, so the memory lives as long as they do."""

    def __init__(self, owner: Union[Config, Context], handle: c_void_p) -> None:
        self.context = owner if isinstance(owner, Context) else owner.context
        self.handle = handle
        self.picture = sized(Picture)
        self.changes = 0
        """Counts what may change the place of the state in memory."""
        self.uses: list[Use] = []
        """The views whose users may have work under way, or may have written."""
        self._close = weakref.finalize(self, _close_run, handle, self.picture, owner)

    def settle(self) -> None:
        """Waits for the streams that work on views, and tells the run of what they may have written."""
        for use in self.uses:
            if use.stream is not None:
                self.context.call(lib.engine_run_wait, self.handle, use.stream)
        if any(use.writes for use in self.uses):
            lib.engine_run_changed(self.handle)
        self.uses = [use for use in self.uses if use.alive]


class Use:
    """A view that somebody uses."""

    __slots__ = ("alive", "stream", "writes", "__weakref__")

    def __init__(self, writes: bool, stream: Optional[int] = None) -> None:
        self.alive = True
        self.writes = writes
        self.stream = stream


def _close_run(handle: c_void_p, picture: Picture, _owner: Union[Config, Context]) -> None:
    lib.engine_picture_release(ctypes.byref(picture))
    lib.engine_run_close(handle)
