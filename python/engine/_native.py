"""libengine, as ctypes sees it: the structures of engine/engine.h and engine/plugin.h, and the functions.

The module needs nothing but the standard library. tests/python compares every size and offset with the headers.
"""

from __future__ import annotations

import ctypes
import os
from ctypes import POINTER, Structure, c_char, c_char_p, c_double, c_int, c_int32, c_int64, c_uint8, c_uint16, c_uint32
from ctypes import c_size_t, c_uint64, c_void_p
from pathlib import Path
from typing import Any

ABI = 0
"""The major version of engine/engine.h that this package is written for: ENGINE_LIBRARY_MAJOR."""

# Statuses, fields, memory and levels, as the headers number them.
USAGE = 2
KINDS = ("grid", "particles", "matrix", "bins")
ROLES = ("state", "input", "output")
HOST_MEMORY, CUDA_MEMORY = 0, 1
TEXT, JSON, CSV, SVG, ROOFLINE = 0, 1, 2, 3, 5
RUN_FORCE = 1
PARAM_TUNING, PARAM_PATH, FIELD_OPTIONAL, EXACT = 1, 2, 1, 1
HASH_SIZE = 33


class Error(Structure):
    """struct engine_error"""

    _fields_ = [("status", c_int), ("text", c_char * 2048)]


# ---- engine/plugin.h: what a plugin describes -------------------------------------------------------------------


class Array(Structure):
    """Any of the engine_…_array: elements of item_size bytes."""

    _fields_ = [("at", c_void_p), ("count", c_uint32), ("item_size", c_uint32)]

    def items(self, kind: type) -> list[Any]:
        """The elements as structures of this kind, which may be shorter than item_size."""
        return [kind.from_address(self.at + i * self.item_size) for i in range(self.count)]


class Abi(Structure):
    """struct engine_abi"""

    _fields_ = [
        ("magic", c_char * 8),
        ("major", c_uint16),
        ("minor", c_uint16),
        ("struct_size", c_uint32),
        ("pointer_size", c_uint32),
    ]


class Field(Structure):
    """struct engine_field, up to its initial value"""

    _fields_ = [
        ("name", c_char_p),
        ("help", c_char_p),
        ("kind", c_uint32),
        ("role", c_uint32),
        ("type", c_uint32),
        ("components", c_uint32),
        ("rank", c_uint32),
        ("values", c_uint32),
        ("reach", c_uint32 * 3),
        ("reduction", c_uint32),
        ("flags", c_uint32),
        ("initial", c_double),
    ]


class Metric(Structure):
    """struct engine_metric"""

    _fields_ = [("name", c_char_p), ("unit", c_char_p), ("help", c_char_p)]


class Generator(Structure):
    """struct engine_generator, up to its help"""

    _fields_ = [("name", c_char_p), ("help", c_char_p)]


class Param(Structure):
    """struct engine_param, up to its flags"""

    _fields_ = [("name", c_char_p), ("help", c_char_p), ("unit", c_char_p), ("type", c_uint32), ("flags", c_uint32)]


class Impl(Structure):
    """struct engine_impl, up to its flags"""

    _fields_ = [("name", c_char_p), ("help", c_char_p), ("memory", c_uint32), ("flags", c_uint32)]


class Plugin(Structure):
    """struct engine_plugin, up to its tables"""

    _fields_ = [
        ("abi", Abi),
        ("reserved", c_uint32),
        ("name", c_char_p),
        ("version", c_char_p),
        ("summary", c_char_p),
        ("params", Array),
        ("fields", Array),
        ("metrics", Array),
        ("generators", Array),
        ("impls", Array),
    ]


class Shape(Structure):
    """struct engine_shape"""

    _fields_ = [
        ("size", c_uint32),
        ("type", c_uint32),
        ("components", c_uint32),
        ("rank", c_uint32),
        ("extent", c_uint64 * 3),
    ]


class Layout(Structure):
    """struct engine_layout, up to its functions"""

    _fields_ = [
        ("size", c_uint32),
        ("cell_bits", c_uint32),
        ("word_bytes", c_uint32),
        ("order", c_uint32),
        ("group_words", c_uint32),
        ("row_align", c_uint32),
        ("component_stride", c_uint32),
        ("planar", c_uint32),
        ("ghost", c_uint32 * 3),
        ("wraps", c_uint32),
        ("own_bytes", c_uint64),
    ]


class Buffer(Structure):
    """struct engine_buffer"""

    _fields_ = [
        ("origin", c_void_p * 2),
        ("row_stride", c_int64),
        ("plane_stride", c_int64),
        ("component_stride", c_int64),
        ("bytes", c_uint64),
        ("shape", POINTER(Shape)),
        ("layout", POINTER(Layout)),
    ]


# ---- engine/engine.h ------------------------------------------------------------------------------------------------

MESSAGE = ctypes.CFUNCTYPE(None, c_void_p, c_int, c_char_p, c_char_p)
STOP = ctypes.CFUNCTYPE(c_int, c_void_p)


class Hooks(Structure):
    """struct engine_hooks"""

    _fields_ = [
        ("size", c_uint32),
        ("plugin_folder_count", c_uint32),
        ("plugin_folders", POINTER(c_char_p)),
        ("plugin_path", c_char_p),
        ("user", c_void_p),
        ("message", MESSAGE),
        ("progress", c_void_p),
        ("stop", STOP),
        ("pace", c_double),
        ("transport", c_void_p),
        ("members", c_void_p),
        ("words", c_void_p),
        ("allocate", c_void_p),
        ("release", c_void_p),
        ("service", c_void_p),
    ]


class Section(Structure):
    """struct engine_section"""

    _fields_ = [("name", c_char_p), ("help", c_char_p), ("keys", Array)]


class PluginInfo(Structure):
    """struct engine_plugin_info"""

    _fields_ = [
        ("size", c_uint32),
        ("disturbs", c_uint32),
        ("path", c_char_p),
        ("about", POINTER(Plugin)),
        ("reference", POINTER(Impl)),
    ]


class Box(Structure):
    """struct engine_box"""

    _fields_ = [("begin", c_uint64 * 3), ("end", c_uint64 * 3)]


class View(Structure):
    """struct engine_view"""

    _fields_ = [
        ("size", c_uint32),
        ("memory", c_uint32),
        ("device", c_int32),
        ("reserved", c_uint32),
        ("stream", c_void_p),
        ("buffer", Buffer),
        ("origin", c_void_p),
    ]


class Picture(Structure):
    """struct engine_picture"""

    _fields_ = [
        ("size", c_uint32),
        ("reserved", c_uint32),
        ("most_columns", c_uint64),
        ("most_rows", c_uint64),
        ("exact_columns", c_uint64),
        ("exact_rows", c_uint64),
        ("columns", c_uint64),
        ("rows", c_uint64),
        ("shades", POINTER(c_uint8)),
        ("scale", c_uint64),
        ("exact", c_int),
        ("memory", c_void_p),
        ("colours", POINTER(c_uint8)),
        ("sight", c_void_p),
        ("block", c_uint64),
    ]


class Sight(Structure):
    """struct engine_sight"""

    _fields_ = [
        ("size", c_uint32),
        ("field", c_uint32),
        ("box", Box),
        ("axis", c_uint32),
        ("reserved", c_uint32),
        ("plane", c_uint64),
        ("bounds", c_double * 4),
    ]


class Execution(Structure):
    """struct engine_execution"""

    _fields_ = [("size", c_uint32), ("flags", c_uint32), ("deadline", c_double)]


class Result(Structure):
    """struct engine_result"""

    _fields_ = [
        ("size", c_uint32),
        ("stopped", c_int),
        ("first", c_uint64),
        ("step", c_uint64),
        ("saved", c_uint64),
        ("seconds", c_double),
    ]


class Trial(Structure):
    """struct engine_trial"""

    _fields_ = [
        ("size", c_uint32),
        ("repeats", c_uint32),
        ("impls", c_char_p),
        ("sweeps", POINTER(c_char_p)),
        ("sweep_count", c_uint32),
        ("seconds", c_uint32),
        ("steps", c_uint64),
        ("position", c_uint32),
        ("reserved", c_uint32),
        ("print", c_void_p),
        ("user", c_void_p),
        ("config", c_void_p),
        ("draws", c_uint64),
        ("seed", c_uint64),
        ("start", c_void_p),
        ("draw", c_uint64),
        ("memory", c_uint64),
        ("isolated", c_uint32),
        ("reserved2", c_uint32),
        ("properties", c_char_p),
    ]


class Property(Structure):
    """struct engine_property"""

    _fields_ = [
        ("plugin", c_char_p),
        ("impl", c_char_p),
        ("property", c_char_p),
        ("outcome", c_int),
        ("reason", c_char_p),
        ("draw", c_uint64),
        ("steps", c_uint64),
        ("settings", POINTER(c_char_p)),
        ("setting_count", c_uint32),
    ]


PROPERTY = ctypes.CFUNCTYPE(None, c_void_p, POINTER(Property))


class Conversion(Structure):
    """struct engine_conversion"""

    _fields_ = [
        ("size", c_uint32),
        ("force", c_int),
        ("scale", c_uint32),
        ("axis", c_uint32),
        ("slice", c_int),
        ("colours", c_int),
        ("plane", c_int64),
        ("range", c_double * 2),
        ("frames", c_char_p),
        ("component", c_uint32),
        ("universe", c_uint32),
        ("from", c_char_p),
        ("to", c_char_p),
        ("lines", c_int),
        ("captions", c_int),
        ("deep", c_int),
        ("reserved", c_int),
        ("depth", c_double * 2),
    ]


class Question(Structure):
    """struct engine_question"""

    _fields_ = [
        ("size", c_uint32),
        ("count", c_uint32),
        ("assignments", POINTER(c_char_p)),
        ("steps", c_uint64),
        ("cells", c_uint64),
    ]


class Format(Structure):
    """struct engine_format"""

    _fields_ = [
        ("size", c_uint32),
        ("reserved", c_uint32),
        ("name", c_char_p),
        ("help", c_char_p),
        ("reads", c_int),
        ("writes", c_int),
        ("endings", c_char_p),
        ("frames", c_int),
    ]


class FormatInfo(Structure):
    """struct engine_format_info"""

    _fields_ = [("size", c_uint32), ("length", c_uint32), ("format", Format), ("library", c_char_p)]


def sized(kind: type, **members: Any) -> Any:
    """A structure of this kind with its size and these members."""
    return kind(size=ctypes.sizeof(kind), **members)


# ---- The library ----------------------------------------------------------------------------------------------------

_ERROR = POINTER(Error)
_TEXT = POINTER(c_void_p)
_LIST = POINTER(c_char_p)

# The result and the arguments of each function.
_FUNCTIONS: dict[str, tuple[Any, ...]] = {
    "engine_open": (c_int, POINTER(Hooks), POINTER(c_void_p), _ERROR),
    "engine_close": (None, c_void_p),
    "engine_plugin_find": (c_int, c_void_p, c_char_p, POINTER(PluginInfo), _ERROR),
    "engine_plugin_json": (c_int, c_void_p, c_char_p, _TEXT, _ERROR),
    "engine_config_open": (c_int, c_void_p, c_char_p, POINTER(c_void_p), _ERROR),
    "engine_config_close": (None, c_void_p),
    "engine_config_copy": (c_int, c_void_p, POINTER(c_void_p), _ERROR),
    "engine_config_of_pattern": (c_int, c_void_p, c_char_p, c_char_p, POINTER(c_void_p), _ERROR),
    "engine_config_put": (c_int, c_void_p, c_char_p, c_char_p, c_char_p, _ERROR),
    "engine_config_set": (c_int, c_void_p, c_char_p, _ERROR),
    "engine_config_get": (c_char_p, c_void_p, c_char_p, c_char_p),
    "engine_config_resolve": (c_char_p, c_void_p, c_char_p, c_char_p, c_size_t),
    "engine_config_at": (c_int, c_void_p, c_uint32, POINTER(c_char_p), POINTER(c_char_p)),
    "engine_impl_missing": (c_char_p, c_void_p, c_void_p, _ERROR),
    "engine_key_flags": (c_uint32, POINTER(Plugin), c_char_p, c_char_p),
    "engine_format_name": (c_char_p, c_void_p, c_uint32),
    "engine_format_find": (c_int, c_void_p, c_char_p, POINTER(FormatInfo), _ERROR),
    "engine_section_at": (POINTER(Section), c_uint32),
    "engine_run_check_init": (c_int, c_void_p, _ERROR),
    "engine_run_plan": (c_int, c_void_p, POINTER(c_void_p), _ERROR),
    "engine_run_close": (None, c_void_p),
    "engine_run_print_plan": (c_int, c_void_p, c_int, _TEXT, _ERROR),
    "engine_run_check_room": (c_int, c_void_p, _ERROR),
    "engine_run_prepare": (c_int, c_void_p, c_uint64, _ERROR),
    "engine_run_start": (c_int, c_void_p, _ERROR),
    "engine_run_advance": (c_int, c_void_p, c_uint64, POINTER(c_uint64), POINTER(c_int), _ERROR),
    "engine_run_copy": (c_int, c_void_p, c_void_p, _ERROR),
    "engine_run_step": (c_uint64, c_void_p),
    "engine_run_steps": (c_uint64, c_void_p),
    "engine_run_plugin": (None, c_void_p, POINTER(PluginInfo)),
    "engine_run_impl": (POINTER(Impl), c_void_p),
    "engine_run_field": (c_int, c_void_p, c_char_p, POINTER(c_uint32), _ERROR),
    "engine_run_shape": (None, c_void_p, c_uint32, POINTER(Shape)),
    "engine_run_read": (c_int, c_void_p, c_uint32, POINTER(Box), c_void_p, c_uint64, _ERROR),
    "engine_run_write": (c_int, c_void_p, c_uint32, POINTER(Box), c_void_p, c_uint64, _ERROR),
    "engine_run_feed": (c_int, c_void_p, c_uint32, c_uint64, c_uint64, c_void_p, _ERROR),
    "engine_run_set_box": (c_int, c_void_p, POINTER(c_double), _ERROR),
    "engine_run_view": (c_int, c_void_p, c_uint32, POINTER(View), _ERROR),
    "engine_run_changed": (None, c_void_p),
    "engine_run_wait": (c_int, c_void_p, c_void_p, _ERROR),
    "engine_run_measure": (c_int, c_void_p, POINTER(c_double), c_uint32, _ERROR),
    "engine_run_hash": (c_int, c_void_p, c_char_p, _ERROR),
    "engine_run_save": (c_int, c_void_p, c_char_p, _ERROR),
    "engine_run_restore": (c_int, c_void_p, c_char_p, _ERROR),
    "engine_run_write_file": (c_int, c_void_p, c_char_p, _ERROR),
    "engine_run_picture": (c_int, c_void_p, POINTER(Picture), _ERROR),
    "engine_picture_release": (None, POINTER(Picture)),
    "engine_run_execute": (c_int, c_void_p, POINTER(Execution), POINTER(Result), _ERROR),
    "engine_run_resume": (c_int, c_void_p, c_char_p, _LIST, c_uint32, POINTER(c_void_p), _TEXT, _ERROR),
    "engine_run_folder": (c_char_p, c_void_p),
    "engine_run_ended": (c_char_p, c_void_p),
    "engine_run_print_summary": (c_int, c_void_p, c_int, _TEXT, _ERROR),
    "engine_verify": (c_int, c_void_p, POINTER(Trial), POINTER(c_void_p), _ERROR),
    "engine_verification_close": (None, c_void_p),
    "engine_verification_status": (c_int, c_void_p, _ERROR),
    "engine_verification_print": (c_int, c_void_p, c_int, _TEXT, _ERROR),
    "engine_bench": (c_int, c_void_p, POINTER(Trial), POINTER(c_void_p), _ERROR),
    "engine_bench_close": (None, c_void_p),
    "engine_bench_status": (c_int, c_void_p, _ERROR),
    "engine_bench_print": (c_int, c_void_p, c_int, c_char_p, _TEXT, _ERROR),
    "engine_conform": (c_int, c_void_p, c_char_p, POINTER(Trial), _LIST, c_uint32, PROPERTY, c_void_p, _ERROR),
    "engine_convert": (c_int, c_void_p, c_char_p, c_char_p, POINTER(Conversion), _ERROR),
    "engine_identify": (c_int, c_void_p, c_char_p, POINTER(Question), POINTER(c_void_p), _ERROR),
    "engine_identity_print": (c_int, c_void_p, c_int, _TEXT, _ERROR),
    "engine_identity_close": (None, c_void_p),
    "engine_type_name": (c_char_p, c_uint32),
    "engine_version": (c_char_p,),
}


def library_path() -> str:
    """The file of libengine: that of ENGINE_LIBRARY, of the wheel, of the source tree, or the system's."""
    name = f"libengine.so.{ABI}"
    given = os.environ.get("ENGINE_LIBRARY")
    if given:
        return given
    here = Path(__file__).resolve().parent
    for folder in (here / "lib", here.parents[1] / "build"):
        if (folder / name).is_file():
            return str(folder / name)
    return name


def _load() -> ctypes.CDLL:
    path = library_path()
    try:
        loaded = ctypes.CDLL(path)
    except OSError as problem:
        raise ImportError(
            f"libengine cannot be loaded: {problem}; install the engine's wheel, or build the engine with make, or put "
            "the path of libengine.so into the environment variable ENGINE_LIBRARY"
        ) from problem
    for name, (result, *arguments) in _FUNCTIONS.items():
        function = getattr(loaded, name, None)
        if function is None:
            raise ImportError(f"{path} has no function {name}: it is older than this package; install both from one release")
        function.restype = result
        function.argtypes = arguments
    return loaded


lib = _load()
_free = ctypes.CDLL(None).free
_free.argtypes = [c_void_p]
_free.restype = None


def take_text(text: c_void_p) -> str:
    """The text that the library has allocated. Frees it."""
    try:
        return ctypes.string_at(text.value).decode() if text.value else ""
    finally:
        _free(text)


def texts(items: list[str]) -> Any:
    """A C array of texts."""
    return (c_char_p * max(len(items), 1))(*[os.fsencode(item) for item in items])
