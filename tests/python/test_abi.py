"""The structures of engine/_native.py are those of the headers."""

from __future__ import annotations

import ctypes
import os
import re
import shlex
import subprocess
import unittest

from engine import _native
from reference import ROOT, scratch

STRUCTURES = {
    "engine_error": _native.Error,
    "engine_abi": _native.Abi,
    "engine_param_array": _native.Array,
    "engine_field_array": _native.Array,
    "engine_metric_array": _native.Array,
    "engine_field": _native.Field,
    "engine_generator": _native.Generator,
    "engine_metric": _native.Metric,
    "engine_impl": _native.Impl,
    "engine_plugin": _native.Plugin,
    "engine_shape": _native.Shape,
    "engine_layout": _native.Layout,
    "engine_buffer": _native.Buffer,
    "engine_hooks": _native.Hooks,
    "engine_plugin_info": _native.PluginInfo,
    "engine_box": _native.Box,
    "engine_view": _native.View,
    "engine_sight": _native.Sight,
    "engine_picture": _native.Picture,
    "engine_execution": _native.Execution,
    "engine_result": _native.Result,
    "engine_trial": _native.Trial,
    "engine_property": _native.Property,
    "engine_conversion": _native.Conversion,
    "engine_question": _native.Question,
    "engine_format": _native.Format,
    "engine_format_info": _native.FormatInfo,
}
# The plugin's side may be longer; the library gives pointers to it.
LONGER = {"engine_field", "engine_generator", "engine_impl", "engine_plugin", "engine_layout"}


class Abi(unittest.TestCase):
    def compiled(self, lines: list[str]) -> list[str]:
        """What a C program with these lines prints."""
        folder = scratch()
        source, program = folder / "abi.c", folder / "abi"
        source.write_text(
            "#include <engine/engine.h>\n#include <stddef.h>\n#include <stdio.h>\nint main(void)\n{\n"
            + "\n".join(lines)
            + "\nreturn 0;\n}\n"
        )
        compiler = shlex.split(os.environ.get("CC", "cc"))
        subprocess.run([*compiler, "-std=c11", f"-I{ROOT}/include", str(source), "-o", str(program)], check=True)
        plain = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
        return subprocess.run([program], capture_output=True, text=True, check=True, env=plain).stdout.splitlines()

    def test_members_have_the_offsets_of_the_headers(self) -> None:
        lines, expected = [], []
        for name, kind in STRUCTURES.items():
            for member, _ in kind._fields_:
                at = f"struct {name}, {member}"
                lines.append(f'printf("{name}.{member} %zu %zu\\n", offsetof({at}), sizeof(((struct {name} *) 0)->{member}));')
                place = getattr(kind, member)
                expected.append(f"{name}.{member} {place.offset} {place.size}")
        self.assertEqual(self.compiled(lines), expected)

    def test_structures_have_the_sizes_of_the_headers(self) -> None:
        names = [name for name in STRUCTURES if name not in LONGER]
        lines = [f'printf("{name} %zu\\n", sizeof(struct {name}));' for name in names]
        self.assertEqual(self.compiled(lines), [f"{name} {ctypes.sizeof(STRUCTURES[name])}" for name in names])

    def test_numbers_are_those_of_the_headers(self) -> None:
        numbers = {
            "ENGINE_LIBRARY_MAJOR": _native.ABI,
            "ENGINE_GRID": _native.KINDS.index("grid"),
            "ENGINE_PARTICLES": _native.KINDS.index("particles"),
            "ENGINE_MATRIX": _native.KINDS.index("matrix"),
            "ENGINE_BINS": _native.KINDS.index("bins"),
            "ENGINE_STATE": _native.ROLES.index("state"),
            "ENGINE_INPUT": _native.ROLES.index("input"),
            "ENGINE_OUTPUT": _native.ROLES.index("output"),
            "ENGINE_HOST_MEMORY": _native.HOST_MEMORY,
            "ENGINE_CUDA_MEMORY": _native.CUDA_MEMORY,
            "ENGINE_TEXT": _native.TEXT,
            "ENGINE_JSON": _native.JSON,
            "ENGINE_CSV": _native.CSV,
            "ENGINE_SVG": _native.SVG,
            "ENGINE_ROOFLINE": _native.ROOFLINE,
            "ENGINE_RUN_FORCE": _native.RUN_FORCE,
            "ENGINE_PARAM_TUNING": _native.PARAM_TUNING,
            "ENGINE_PARAM_PATH": _native.PARAM_PATH,
            "ENGINE_FIELD_OPTIONAL": _native.FIELD_OPTIONAL,
            "ENGINE_EXACT": _native.EXACT,
            "ENGINE_HASH_SIZE": _native.HASH_SIZE,
            "ENGINE_STATUS_UNVERIFIED": 1,
            "ENGINE_STATUS_OUTPUT": 6,
        }
        lines = [f'printf("{name} %d\\n", (int) {name});' for name in numbers]
        self.assertEqual(self.compiled(lines), [f"{name} {number}" for name, number in numbers.items()])

    def test_functions_are_declared_with_as_many_arguments(self) -> None:
        headers = [(ROOT / f"include/engine/{name}.h").read_text() for name in ("engine", "identify", "judge")]
        header = re.sub(r"/\*.*?\*/", "", "".join(headers), flags=re.S)
        for name, (_, *arguments) in _native._FUNCTIONS.items():
            declared = re.search(rf"\b{name}\(((?:[^()]|\([^()]*\))*)\);", header)
            self.assertIsNotNone(declared, name)
            words = re.sub(r"\([^()]*\)", "", declared[1])
            self.assertEqual(len(arguments), 0 if words == "void" else words.count(",") + 1, name)

    def test_element_types_are_those_of_the_library(self) -> None:
        from engine._view import DTYPES

        for number, dtype in enumerate(DTYPES):
            self.assertEqual(_native.lib.engine_type_name(number).decode(), dtype.name)
        self.assertIsNone(_native.lib.engine_type_name(len(DTYPES)))
