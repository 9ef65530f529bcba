"""Device: where tensors live, and a clear answer when the wanted one is not there."""

from __future__ import annotations

import torch

from nymity.core.errors import ParameterError
from nymity.core.validation import one_of


def choose_device(name: str = "auto") -> torch.device:
    """Return the GPU if there is one (``auto``), or the device that is asked for by name (``cpu``, ``cuda``)."""
    one_of("device", name, ("auto", "cpu", "cuda"))
    if name == "cuda" and not torch.cuda.is_available():
        raise ParameterError("device", expected="a GPU that torch can use", got="none", hint="device 'cpu' or 'auto'")
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    return torch.device(name)


def describe_device(device: torch.device) -> str:
    """Name a device for a result: ``cpu`` or the GPU's model."""
    return torch.cuda.get_device_name(device) if device.type == "cuda" else device.type
