"""The process in which engine.conform checks a plugin. It reads a request as JSON and writes the properties as JSON.

The library checks each property in a copy of the process, so this one has no other thread. It is a program of its own,
without NumPy, which may start threads.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys


def main() -> None:
    request = json.load(sys.stdin)
    # Plugins may print; what they print goes to stderr, because stdout has the answer.
    answer = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    os.environ["ENGINE_LIBRARY"] = request["library"]
    import _native  # from the folder of this file

    lib, texts, sized = _native.lib, _native.texts, _native.sized
    error, context, config = _native.Error(), ctypes.c_void_p(), ctypes.c_void_p()
    found: list[tuple[str | None, ...]] = []

    def text(raw: bytes | None) -> str | None:
        return None if raw is None else raw.decode(errors="replace")

    @_native.PROPERTY
    def report(_user: object, checked: object) -> None:
        p = checked.contents  # type: ignore[attr-defined]
        found.append((text(p.plugin), text(p.impl), text(p.property), p.outcome, text(p.reason)))

    @_native.MESSAGE
    def message(_user: object, _level: int, source: bytes, words: bytes) -> None:
        print(f"{source.decode()}: {words.decode()}", file=sys.stderr)

    path = os.environ.get("ENGINE_PLUGIN_PATH")
    hooks = sized(
        _native.Hooks,
        plugin_folder_count=len(request["plugins"]),
        plugin_folders=texts(request["plugins"]),
        plugin_path=os.fsencode(path) if path else None,
        message=message,
    )
    given = request["assignments"]
    status = lib.engine_open(ctypes.byref(hooks), ctypes.byref(context), ctypes.byref(error))
    if status == 0 and request["config"]:
        status = lib.engine_config_open(context, os.fsencode(request["config"]), ctypes.byref(config), ctypes.byref(error))
    if status == 0:
        trial = sized(
            _native.Trial,
            impls=request["impls"].encode() or None,
            properties=request["properties"].encode() or None,
            position=bool(request["placed"]),
            seconds=request["seconds"],
            config=config,
        )
        status = lib.engine_conform(
            context,
            os.fsencode(request["plugin"]),
            ctypes.byref(trial),
            texts(given),
            len(given),
            report,
            None,
            ctypes.byref(error),
        )
    json.dump({"status": status, "text": error.text.decode(), "properties": found}, answer)
    answer.close()
    lib.engine_config_close(config)
    lib.engine_close(context)


if __name__ == "__main__":
    main()
