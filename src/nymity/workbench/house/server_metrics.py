"""Metrics: how the server is, in numbers and nothing about people: neither users nor projects nor tables.

Health is told to whoever asks (``/health``: it works, or it does not). Metrics are told at a port of their own on
127.0.0.1, which users do not reach.
"""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from nymity.workbench.guard import Receive, Scope, Send, answer


@dataclass(eq=False)
class ServerMetrics:
    """Counts what happens; ``gauges`` are asked when somebody looks, ``problem`` says why the server does not work."""

    gauges: dict[str, Callable[[], float]] = field(default_factory=dict)
    problem: Callable[[], str] = lambda: ""
    _counts: Counter[str] = field(default_factory=Counter, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _begun: float = field(default_factory=time.monotonic, repr=False)

    def count(self, name: str) -> None:
        """Count one more."""
        with self._lock:
            self._counts[name] += 1

    def lines(self) -> str:
        """Write all of it as Prometheus reads it."""
        with self._lock:
            counts = dict(self._counts)
        told = [f"nymity_up {int(not self.problem())}", f"nymity_seconds {time.monotonic() - self._begun:.0f}"]
        told += [f"nymity_{name} {ask():g}" for name, ask in sorted(self.gauges.items())]
        told += [f"nymity_{name}_total {number}" for name, number in sorted(counts.items())]
        return "\n".join(told) + "\n"

    async def answer_health(self, send: Send) -> None:
        """Say whether it works; why it does not is in the log."""
        works = not self.problem()
        await _send(send, 200 if works else 503, b"application/json", json.dumps({"works": works}).encode())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer at the port for metrics."""
        if scope["type"] == "lifespan":
            return
        path = scope.get("path") if scope["type"] == "http" and scope["method"] == "GET" else None
        if path == "/health":
            await self.answer_health(send)
        elif path == "/metrics":
            await _send(send, 200, b"text/plain; version=0.0.4; charset=utf-8", self.lines().encode())
        elif scope["type"] == "http":
            await answer(send, 404)


async def _send(send: Send, status: int, kind: bytes, body: bytes) -> None:
    headers = [(b"content-type", kind), (b"content-length", str(len(body)).encode()), (b"cache-control", b"no-store")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
