"""The page of ``engine view`` in a notebook. The kernel carries the messages of view/messages.h between both."""

from __future__ import annotations

import ctypes
import json
import re
import time
from pathlib import Path
from typing import Any, Callable, Optional

import numpy as np

from . import _native
from ._errors import Error, UsageError
from ._native import lib, sized
from ._page_changes import Answer, Changes
from ._run import Run

_ANSWER = 0.05  # seconds of steps for each picture while the simulation plays
_MOST = 4096  # pixels along a side
_POINTS = 1 << 18
_EDITS = ("draw", "fill", "paste", "set", "open")


class Page(Changes):
    """Answers the messages of a page about a run. It takes steps only while it answers, so the run is never used by two
    threads."""

    def __init__(self, run: Run, read_only: bool = False) -> None:
        super().__init__(run)
        self._read_only = read_only
        self._picture = sized(_native.Picture)
        self._speed, self._rate = 0.0, 0.0
        self._since = time.monotonic(), run.step

    # ---- Messages ----

    def answer(self, request: dict[str, Any], data: bytes = b"") -> Answer:
        """Answers a request. An error becomes the member "error"."""
        head: dict[str, Any] = {}
        bytes_behind = b""
        try:
            function: Optional[Callable[..., Answer]] = getattr(self, f"_do_{request.get('do')}", None)
            if function is None:
                raise UsageError("a page in a notebook does not do that; use the run itself")
            if self._read_only and request["do"] in _EDITS:
                raise UsageError("this view only shows")
            head, bytes_behind = function(request, data)
        except (Error, KeyError, ValueError, TypeError) as problem:
            folder = re.escape(self._folder.name)  # which means nothing to the viewer
            head = {"error": re.sub(rf"{folder}/\w+/", "", str(problem))}
        return {**head, **self._description()}, bytes_behind

    def _description(self) -> dict[str, Any]:
        return {"step": self.run.step, "playing": self._playing, "speed": self._speed, "rate": self._rate,
                "edited": self._edited, "state": self._changes, "scene": self._scene}

    # ---- Playing ----

    def _advance(self, steps: int) -> None:
        self.run.advance(steps)
        self._changes += 1

    def _measure_rate(self) -> None:
        then, step = self._since
        now = time.monotonic()
        if now - then >= 0.5:
            self._rate = (self.run.step - step) / (now - then)
            self._since = now, self.run.step

    def _play(self) -> None:
        """Takes the steps that are due since the last picture, or as many as there is time for."""
        begin = time.monotonic()
        if self._speed > 0:
            due = int(self._speed * min(begin - self._played, 0.25))
            self._played += due / self._speed
            self._played = max(self._played, begin - 0.25)
            if due:
                self._advance(due)
        else:
            steps = 1
            while time.monotonic() - begin < _ANSWER:
                self._advance(steps)
                steps = steps * 2 if time.monotonic() - begin < _ANSWER / 4 else steps
        self._measure_rate()

    def _do_play(self, request: dict[str, Any], _data: bytes) -> Answer:
        self._playing, self._speed = bool(request.get("playing")), max(float(request.get("speed", 0)), 0)
        self._played, self._rate = time.monotonic(), 0.0
        self._since = time.monotonic(), self.run.step
        return {}, b""

    def _do_step(self, request: dict[str, Any], _data: bytes) -> Answer:
        self._playing = False
        self._advance(max(int(request.get("count", 1)), 1))
        return {}, b""

    # ---- Looking ----

    def _do_hello(self, _request: dict[str, Any], _data: bytes) -> Answer:
        about = self._about.contents
        metrics = [{"name": metric.name.decode(), "unit": (metric.unit or b"").decode() or None, "help": metric.help.decode()}
                   for metric in about.metrics.items(_native.Metric)]
        settings = "\n".join(f"{key} = {value}" for key, value in self.run.settings.items())
        head = {"title": self._title, "plugin": self.run.plugin, "implementation": self.run.implementation,
                "device": "", "config": settings, "read_only": self._read_only, "can": self._can(),
                "parameters": self._parameters(), "implementations": self._implementations(about), "metrics": metrics,
                "marks": self._marks, "formats": list(self._formats()),
                "fields": [self._describe(name) for name in self.run.fields]}
        return head, b""

    def _can(self) -> list[str]:
        names = [name[4:] for name in dir(self) if name.startswith("_do_")]
        return [name for name in names if not (self._read_only and name in _EDITS)]

    def _parameters(self) -> list[dict[str, Any]]:
        context, given = self.run._config.context, self._given(self.run.plugin)
        described = json.loads(context.text(lib.engine_plugin_json, context.handle, self.run.plugin.encode()))
        return [{"key": one["name"], "help": one["help"], "unit": one["unit"], "value": given.get(one["name"], one["default"]),
                 "choices": ["no", "yes"] if one["type"] == "flag" else one.get("choices"), "changes": not one["tuning"]}
                for one in described["parameters"] if not self._flags(one["name"]) & _native.PARAM_PATH]

    def _implementations(self, about: _native.Plugin) -> list[str]:
        context = self.run._config.context
        return [impl.name.decode() for impl in about.impls.items(_native.Impl)
                if not lib.engine_impl_missing(context.handle, ctypes.addressof(impl), context.error_at)]

    def _describe(self, name: str) -> dict[str, Any]:
        field = self.run.fields[name]
        components = field.shape[-1] if field.axes[-1] == "component" else 1
        return {"name": name, "help": "", "kind": field.kind, "role": field.role, "type": str(field.dtype),
                "components": components, "extent": self._extent(name),
                "rank": len(field.axes) - (components > 1), "batch": "batch" in field.axes, "values": field.values}

    def _do_frame(self, request: dict[str, Any], _data: bytes) -> Answer:
        if self._playing:
            self._play()
        if request.get("seen", -1) == self._changes:
            return {"same": True}, b""
        number, name = self._field(request)
        sight = sized(_native.Sight, field=number + 1, axis=int(request.get("axis", 0)), plane=int(request.get("plane", 0)))
        sight.bounds = (ctypes.c_double * 4)(*request.get("bounds", [0, 0, 0, 0]))
        if self.run.fields[name].kind == "grid":
            box = self._box(request, name)
            sight.box.begin, sight.box.end = (ctypes.c_uint64 * 3)(*box[:3]), (ctypes.c_uint64 * 3)(*box[3:])
        head, pixels = self._draw(sight, request)
        if request.get("measure"):
            head["metrics"] = self._metrics()
        return head, pixels

    def _draw(self, sight: _native.Sight, request: dict[str, Any]) -> Answer:
        picture, state = self._picture, self.run._use()
        picture.most_columns = min(max(int(request.get("columns", 512)), 1), _MOST)
        picture.most_rows = min(max(int(request.get("rows", 512)), 1), _MOST)
        picture.sight = ctypes.addressof(sight)
        try:
            state.context.call(lib.engine_run_picture, state.handle, ctypes.byref(picture))
        finally:
            picture.sight = None
        coloured, count = bool(picture.colours), picture.columns * picture.rows
        pixels = ctypes.string_at(picture.colours, 3 * count) if coloured else ctypes.string_at(picture.shades, count)
        return {"columns": picture.columns, "rows": picture.rows, "block": picture.block, "coloured": coloured}, pixels

    def _metrics(self) -> list[Optional[float]]:
        try:
            return [float(value) if np.isfinite(value) else None for value in self.run.metrics.values()]
        except Error:  # the implementation does not measure
            return []

    def _do_points(self, request: dict[str, Any], _data: bytes) -> Answer:
        if self._playing:
            self._play()
        name = self._field(request)[1]
        positions = self.run[name]
        if self.run.fields[name].kind != "particles" or positions.ndim != 2 or positions.shape[1] > 3:
            raise UsageError(f"the field {name} does not hold positions")
        count = len(positions)
        stride = -(-count // min(max(int(request.get("most", 50000)), 1), _POINTS))
        points = np.zeros((-(-count // stride), 4), "<f4")
        points[:, : positions.shape[1]] = positions[::stride]
        masses = self.run.fields.get("mass")
        has_masses = masses is not None and masses.shape == (count,)
        if has_masses:
            points[:, 3] = self.run["mass"][::stride]
        with np.errstate(invalid="ignore"):
            places = np.where(np.isfinite(positions), positions, np.nan)
            low, high = np.nan_to_num(np.nanmin(places, axis=0)), np.nan_to_num(np.nanmax(places, axis=0))
        pad = [0.0] * (3 - positions.shape[1])
        return {"count": len(points), "of": count, "low": [*map(float, low), *pad], "high": [*map(float, high), *pad],
                "masses": has_masses}, points.tobytes()

    def _do_read(self, request: dict[str, Any], _data: bytes) -> Answer:
        name = self._field(request)[1]
        values = self.run[self._key(name, self._box(request, name))]
        return {"type": str(values.dtype), "components": self._describe(name)["components"]}, values.tobytes()

    def close(self) -> None:
        """Frees what the page has kept. The run stays open."""
        lib.engine_picture_release(ctypes.byref(self._picture))
        self._folder.cleanup()


# ---- The page in a notebook -------------------------------------------------------------------------------------------

_HOST = """
export default {render({model, el}) {
    const waiting = new Map();
    let count = 0;
    model.on('msg:custom', (message, buffers) => {
        waiting.get(message.id)?.({head: message.head, bytes: new Uint8Array(buffers[0].buffer, buffers[0].byteOffset, buffers[0].byteLength)});
        waiting.delete(message.id);
    });
    const send = (head, bytes) => new Promise(resolve => {
        waiting.set(++count, resolve);
        model.send({id: count, head}, undefined, [bytes ?? new Uint8Array(0)]);
    });
    el.classList.add('engine-view');
    el.style.height = model.get('height') + 'px';
    m_view.mount(el, send, () => {});
}};
"""


def _page_folder() -> Path:
    here = Path(__file__).resolve().parent
    return here / "page" if (here / "page").is_dir() else here.parents[1] / "view/page"


def script() -> str:
    """The modules of the page as one: each becomes a function that is called once, after those that it imports."""
    folder, done = _page_folder(), dict[str, str]()

    def add(name: str) -> None:
        text = (folder / f"{name}.js").read_text(encoding="utf-8")
        for other in re.findall(r"^import \{[^}]*\} from '\./(\w+)\.js';$", text, re.MULTILINE):
            if other not in done:
                add(other)
        names = re.findall(r"^export (?:async )?(?:function|class|const|let) (\w+)", text, re.MULTILINE)
        text = re.sub(r"^import (\{[^}]*\}) from '\./(\w+)\.js';$", r"const \1 = m_\2;", text, flags=re.MULTILINE)
        text = re.sub(r"^export ", "", text, flags=re.MULTILINE)
        done[name] = f"const m_{name} = (() => {{\n{text}\nreturn {{{', '.join(names)}}};\n}})();\n"

    add("view")
    return "".join(done.values()) + _HOST


def view(run: Run, *, height: int = 600, read_only: bool = False) -> Any:
    """Shows a run as the page of ``engine view`` does, in a notebook: the last expression of a cell displays it.

    The page shows, advances and changes the run itself, and not a copy. If the viewer changes a parameter or opens a
    file, ``run.settings`` has the change. It asks the kernel for everything, so it works wherever
    the notebook does, and waits while another cell is executed.

    Args:
        run: the run to show.
        height: of the page, in pixels.
        read_only: refuse changes.

    Raises:
        UsageError: the package anywidget is not installed.
    """
    try:
        import anywidget
        import traitlets
    except ImportError:
        raise UsageError("engine.view needs the package anywidget; install it with pip, and restart the kernel") from None

    class Widget(anywidget.AnyWidget):  # type: ignore[misc]
        _esm = script()
        _css = (_page_folder() / "view.css").read_text(encoding="utf-8")
        height = traitlets.Int().tag(sync=True)

        def __init__(self, page: Page, **members: Any) -> None:
            super().__init__(**members)
            self.page = page
            self.on_msg(self._hear)

        def _hear(self, _widget: Any, message: dict[str, Any], buffers: list[Any]) -> None:
            head, data = self.page.answer(message["head"], bytes(buffers[0]) if buffers else b"")
            self.send({"id": message["id"], "head": json.loads(json.dumps(head))}, buffers=[data])

    return Widget(Page(run, read_only), height=height)
