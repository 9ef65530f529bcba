"""Compiled kernels on disk, kept so that damage to them does no harm.

numba keeps what it compiled beside the source. A file of it that was cut off or changed (a full disk, a copy that
broke off) would be loaded all the same, and end in a traceback or in machine code that is not ours. So each file ends
with its hash: one that does not fit is passed over, and compiled and written again. So is one of an earlier version
that names a type which is gone: numba reads names of types before it asks whether the source has changed. Where nothing
can be written, kernels are compiled in every process.
"""

from __future__ import annotations

import functools
import hashlib
import io
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from nymity.kernels.compiled import Kernel


@contextmanager
def _hidden(*names: str) -> Iterator[None]:
    """Hide packages that numba loads where they are installed and does without; those that are loaded stay.

    Another thread may import one of them just now: then nothing is hidden.
    """
    absent = [name for name in names if name not in sys.modules and threading.active_count() == 1]
    sys.modules.update(dict.fromkeys(absent))  # type: ignore[arg-type]  # None: to import it fails
    try:
        yield
    finally:
        for name in absent:
            del sys.modules[name]


# Lines of kernels are measured only where coverage runs already; yaml reads a file of settings, which few have.
with _hidden("coverage", *([] if Path(".numba_config.yaml").exists() else ["yaml"])):
    import numba
from llvmlite import binding as llvm  # noqa: E402
from numba import config, types  # noqa: E402
from numba.core import environment  # noqa: E402
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile  # noqa: E402
from numba.core.runtime import rtsys  # noqa: E402
from numba.core.typing.typeof import typeof_impl  # noqa: E402
from numba.extending import intrinsic  # noqa: E402

__all__ = ["compile_kernel", "config", "intrinsic", "types"]

_DIGEST = hashlib.sha256().digest_size

#: numba's array functions.
_ARRAYS = "numba.np.arraymath"

#: What unpickling a name raises whose class or module no longer exists.
_TYPE_IS_GONE = (AttributeError, ImportError)


def _load_without_blas() -> None:
    """Load numba's array functions without scipy.linalg, which takes a tenth of a second, and no kernel uses.

    numba asks whether it is there when it loads them, and again where it is used; only the first question is put off.
    """
    if _ARRAYS in sys.modules:
        return
    algebra: Any = import_module("numba.np.linalg")
    asked = algebra.ensure_blas
    algebra.ensure_blas = lambda: None
    try:
        arrays: Any = import_module(_ARRAYS)
    finally:
        algebra.ensure_blas = asked
    arrays.ensure_blas = asked


@contextmanager
def _modules_left() -> Iterator[None]:
    """Read machine code without the modules of numba that parts of it were compiled from, a twentieth of a second.

    numba loads them as the globals of these parts, which nothing but interpreted code looks at.
    """
    known = environment._rebuild_env

    def rebuilt(module: str, constants: Any, name: str) -> Any:
        found = environment.lookup_environment(name)
        if found is not None or module in sys.modules or not module.startswith("numba."):
            return known(module, constants, name)
        made = environment.Environment({"__name__": module})  # by which it is found when it is kept again
        made.consts[:] = constants
        made.env_name = name
        environment.Environment._memo[name] = made
        return made

    environment._rebuild_env = rebuilt
    try:
        yield
    finally:
        environment._rebuild_env = known


class _MachineCode(CompileResultCacheImpl):  # type: ignore[misc]
    """What is kept of a kernel, read without the form of it that others are compiled with."""

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        """Return the kernel.

        Beside machine code lies LLVM's form of it, which takes longer to read than the code: it is read when another
        kernel is compiled that calls this one. Whoever comes between from another thread gets numba's own way.
        """
        kept, described, *_ = payload
        codegen = target_context.codegen()
        known = codegen.unserialize_library
        codegen.unserialize_library = lambda one: _library(codegen, one, described) if one is kept else known(one)
        try:
            return super().rebuild(target_context, payload)
        finally:
            vars(codegen).pop("unserialize_library", None)


def _library(codegen: Any, kept: tuple[str, str, Any], described: Any) -> Any:
    """Do what ``unserialize_library`` of numba does, but for the module that is linked to others."""
    name, kind, content = kept
    if kind != "object":
        return type(codegen).unserialize_library(codegen, kept)
    code, module = content
    library = codegen.create_library(name)
    library.enable_object_caching()
    library._set_compiled_object(code)
    library._finalize_final_module()
    library._get_module_for_linking = functools.cache(lambda: llvm.parse_bitcode(module))
    names = (described.llvm_func_name, described.llvm_cpython_wrapper_name, described.llvm_cfunc_wrapper_name)
    codegen._engine._defined_symbols.update(names)
    return library


def compile_kernel(function: Callable[..., Any], *, cache: bool, **options: Any) -> Any:
    """Return numba's dispatcher of a function; with ``cache`` it keeps what it compiles."""
    dispatcher = numba.njit(**options)(function)
    if cache and hasattr(dispatcher, "enable_caching"):  # a plain function under NUMBA_DISABLE_JIT
        with suppress(RuntimeError, OSError):  # there is no place to keep it
            dispatcher._cache = _KernelCache(function)
    return dispatcher


@typeof_impl.register(Kernel)
def _type_of_kernel(kernel: Kernel, context: Any) -> Any:
    """Let one kernel call another: to numba a kernel is its dispatcher."""
    return typeof_impl(kernel.dispatcher, context)


class _KernelCache(FunctionCache):  # type: ignore[misc]
    """What was compiled of one kernel."""

    _impl_class = _MachineCode

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._cache_file = _HashedFile(
            cache_path=self._cache_path,
            filename_base=self._impl.filename_base,
            source_stamp=self._impl.locator.get_source_stamp(),
        )

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return what was compiled, None where nothing is kept.

        numba first loads all that it can compile, a tenth of a second. Machine code needs nothing but the runtime;
        what is not kept is compiled, and compiling loads the rest.
        """
        rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            if (found := self._load_overload(sig, target_context)) is not None:
                return found
        _load_without_blas()
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled, unless the disk is full or the place is gone."""
        with suppress(OSError):
            super().save_overload(sig, data)


class _HashedFile(IndexDataCacheFile):  # type: ignore[misc]
    """Index and data of a kernel, each with its hash at the end, where the loader of numba does not look."""

    def _load_index(self) -> Any:
        with suppress(*_TYPE_IS_GONE):
            if _whole(Path(self._index_path)):
                return super()._load_index()
        return {}

    def _load_data(self, name: str) -> Any:
        with suppress(*_TYPE_IS_GONE):
            if _whole(Path(self._data_path(name))):
                with _modules_left():
                    return super()._load_data(name)
        raise FileNotFoundError(name)  # for numba: removed, so compile it again

    @contextmanager
    def _open_for_write(self, filepath: str) -> Iterator[io.BytesIO]:
        with super()._open_for_write(filepath) as file:
            content = io.BytesIO()
            yield content
            file.write(content.getvalue() + hashlib.sha256(content.getvalue()).digest())


def _whole(path: Path) -> bytes:
    """Return what a file holds, nothing where it is damaged or not there."""
    try:
        content = path.read_bytes()
    except OSError:
        return b""
    return content if hashlib.sha256(content[:-_DIGEST]).digest() == content[-_DIGEST:] else b""
