"""Views: the memory of a field, without a copy, for NumPy and for the libraries that compute on GPUs."""

from __future__ import annotations

import ctypes
import weakref
from ctypes import POINTER, Structure, c_int32, c_int64, c_uint8, c_uint16, c_uint64, c_void_p
from typing import Any, Optional

import numpy as np

from ._context import State, Use
from ._errors import UsageError
from ._native import CUDA_MEMORY, lib
from . import _native

DTYPES = tuple(
    np.dtype(name) for name in "u1 i1 u2 i2 u4 i4 u8 i8 f4 f8 c8 c16".split()
)
"""The element types, in the order of ENGINE_U8 …"""

_CPU, _CUDA = 1, 2  # DLDeviceType
_CODES = {"i": 0, "u": 1, "f": 2, "c": 5}  # DLDataTypeCode


class View:
    """The memory of a field of a running simulation, without a copy.

    Other libraries take it as their own array: ``torch.from_dlpack(view)``, ``cupy.from_dlpack(view)``,
    ``torch.as_tensor(view)``, ``cupy.asarray(view)``. NumPy takes it where it is host memory.

    A view shows the state at the step at which it was taken. Later the run may leave its state in another buffer, so
    a view refuses to be taken up after the run has advanced; take a new one. What another library has already made
    of it stays valid memory, even after the run is closed, but need not show the state any more.

    Attributes:
        shape: the extents, last axis first in memory: ``[y, x]``, ``[z, y, x]``, ``[particle, component]``.
        strides: the distances along these axes in bytes.
        dtype: the type of an element. A field that is stored with one bit a cell has words.
        pointer: the address of the first element.
        memory: ``"host"`` or ``"cuda"``.
        device: the ordinal of the CUDA device.
        stream: the CUDA stream that fills the memory, as a number; None: host memory.
    """

    def __init__(self, state: State, field: int, rank: int, write: bool) -> None:
        raw = _native.sized(_native.View)
        state.context.call(lib.engine_run_view, state.handle, field, ctypes.byref(raw))
        self.memory = ("host", "cuda")[raw.memory]
        self.device: int = raw.device
        self.stream: Optional[int] = raw.stream if raw.memory == CUDA_MEMORY else None
        self.pointer: int = raw.origin or 0
        self.dtype, self.shape, self.strides = _describe(raw.buffer, rank)
        self._state = state
        self._changes = state.changes
        self._write = write
        self._interface_use: Optional[Use] = None

    def __repr__(self) -> str:
        return f"<engine.View of {self.memory} memory, shape {self.shape}, {self.dtype}>"

    def _check(self) -> State:
        if self._changes != self._state.changes:
            raise UsageError("the run has changed since this view was taken; take a new one with run.view")
        return self._state

    def _use(self, stream: Optional[int] = None, writes: bool = True) -> Use:
        use = Use(writes and self._write, stream)
        self._state.uses.append(use)
        return use

    @property
    def __array_interface__(self) -> dict[str, Any]:
        self._check()
        if self.memory != "host":
            raise UsageError("this view is of device memory, which NumPy cannot read; run[name] makes a copy")
        return {**self._interface(), "data": (self.pointer, not self._write)}

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """Version 3. Its consumer waits for the run's stream. If the consumer works on a stream of its own that does
        not wait for the legacy default stream, call ``run.wait(stream)`` before the run goes on."""
        self._check()
        if self.memory != "cuda":
            raise AttributeError("this view is of host memory, which has no __cuda_array_interface__")
        if self._interface_use is None:
            self._interface_use = self._use(stream=1)  # the legacy default stream
            weakref.finalize(self, _end_use, self._interface_use).atexit = False
        # PyTorch takes no memory that says it is read-only.
        return {**self._interface(), "data": (self.pointer, False), "stream": self.stream}

    def _interface(self) -> dict[str, Any]:
        return {"version": 3, "shape": self.shape, "strides": self.strides, "typestr": self.dtype.str}

    def __dlpack_device__(self) -> tuple[int, int]:
        return (_CUDA, self.device) if self.memory == "cuda" else (_CPU, 0)

    def __dlpack__(self, *, stream: Optional[int] = None, max_version: Any = None, dl_device: Any = None,
                   copy: Optional[bool] = None) -> Any:
        """A capsule as the DLPack protocol asks. The memory is ready for work on ``stream``, and the run waits for this
        stream before it goes on. None is the legacy default stream; -1: the consumer takes care of order."""
        state = self._check()
        if copy:
            raise BufferError("a view does not copy; run[name] makes a copy in host memory")
        if dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
            raise BufferError("a view stays on its device; run[name] makes a copy in host memory")
        use = self._use()
        if self.memory == "cuda" and stream != -1:
            use.stream = 1 if stream is None else int(stream)
            state.context.call(lib.engine_run_wait, state.handle, None)
        return _capsule(self, state, use)


def _describe(buffer: _native.Buffer, rank: int) -> tuple[np.dtype, tuple[int, ...], tuple[int, ...]]:
    """The element type, the shape and the strides of a buffer."""
    shape, layout = buffer.shape.contents, buffer.layout.contents
    if layout.own_bytes:
        return np.dtype("u1"), (buffer.bytes,), (1,)
    width, step, dtype, components = shape.extent[0], 0, DTYPES[shape.type], shape.components
    if layout.cell_bits:
        dtype = np.dtype(f"u{layout.word_bytes}")
        group = 8 * layout.word_bytes * max(layout.group_words, 1)
        width = -(-width // group) * max(layout.group_words, 1)
        components = 1
    step = dtype.itemsize * (1 if layout.planar or layout.cell_bits else layout.component_stride or components)
    extents = (shape.extent[2], shape.extent[1], width)[3 - rank:]
    strides = (buffer.plane_stride, buffer.row_stride, step)[3 - rank:]
    if components > 1:
        extents, strides = (*extents, components), (*strides, buffer.component_stride)
    return dtype, extents, strides


class _Memory:
    """What a NumPy array refers to while it shows memory of a run."""

    def __init__(self, view: View) -> None:
        self.__array_interface__ = view.__array_interface__
        self._state = view._state
        if view._write:
            weakref.finalize(self, _end_use, view._use()).atexit = False


def _end_use(use: Use) -> None:
    use.alive = False


def host_array(view: View) -> np.ndarray:
    """A NumPy array of host memory. It keeps the memory alive."""
    return np.asarray(_Memory(view))


# ---- DLPack -----------------------------------------------------------------------------------------------------------


class _Tensor(Structure):
    """DLTensor, of the version that all consumers take"""

    _fields_ = [
        ("data", c_void_p),
        ("device_type", c_int32),
        ("device_id", c_int32),
        ("ndim", c_int32),
        ("code", c_uint8),
        ("bits", c_uint8),
        ("lanes", c_uint16),
        ("shape", POINTER(c_int64)),
        ("strides", POINTER(c_int64)),
        ("byte_offset", c_uint64),
    ]


_DELETER = ctypes.CFUNCTYPE(None, c_void_p)


class _Managed(Structure):
    """DLManagedTensor"""

    _fields_ = [("tensor", _Tensor), ("context", c_void_p), ("deleter", _DELETER)]


# Tensors that a consumer holds, and what they need, by the address of the structure.
_held: dict[int, tuple[Any, ...]] = {}


@_DELETER
def _delete(address: int) -> None:
    held = _held.pop(address, None)
    if held:
        _end_use(held[0])


_NAME = b"dltensor"
_is_valid = ctypes.pythonapi.PyCapsule_IsValid
_is_valid.argtypes, _is_valid.restype = [c_void_p, ctypes.c_char_p], ctypes.c_int
_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.argtypes, _pointer.restype = [c_void_p, ctypes.c_char_p], c_void_p
_DESTRUCTOR = ctypes.PYFUNCTYPE(None, c_void_p)
_new = ctypes.pythonapi.PyCapsule_New
_new.argtypes, _new.restype = [c_void_p, ctypes.c_char_p, _DESTRUCTOR], ctypes.py_object


@_DESTRUCTOR
def _destroy(capsule: int) -> None:
    if _is_valid(capsule, _NAME):  # nobody has taken the tensor
        _delete(_pointer(capsule, _NAME))


def _capsule(view: View, state: State, use: Use) -> Any:
    count, size = len(view.shape), view.dtype.itemsize
    if any(stride % size for stride in view.strides):
        raise BufferError(f"DLPack counts strides in elements, but those of this view are {view.strides} bytes")
    shape = (c_int64 * count)(*view.shape)
    strides = (c_int64 * count)(*(stride // size for stride in view.strides))
    kind, device = view.__dlpack_device__()
    tensor = _Tensor(view.pointer, kind, device, count, _CODES[view.dtype.kind], 8 * size, 1, shape, strides, 0)
    managed = _Managed(tensor, None, _delete)
    address = ctypes.addressof(managed)
    _held[address] = (use, managed, shape, strides, state)
    return _new(address, _NAME, _destroy)
