"""Half ensemble: members of one architecture on a GPU, their convolutions in half precision by kernels of ours.

For attacks, which ask the same members millions of times and differentiate images alone, never weights. A GPU's usual
convolutions round what they multiply to eleven binary digits (TF32); half precision has as many, and moves half of the
bytes. What cuDNN spends most of its time on here, images of one channel, sums of biases, ReLUs and pooling, is one pass
with each convolution.

Half precision begins at 6e-8, and an attack's slopes are divided by temperatures and by numbers of draws. So slopes go
back as shares of the largest one of their image, and what comes out is multiplied by it. It ends at 65,504: what would
be beyond is refused, since an attack that goes astray makes a defence look strong.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import Function

from nymity.core.errors import MissingExtraError, ParameterError
from nymity_robust.architectures import Architecture
from nymity_robust.ensemble import Ensemble, StackedEnsemble

#: Places that one program computes, and by how many warps.
BLOCK, WARPS = 128, 4


class HalfEnsemble(Ensemble):
    """Answers as the :class:`StackedEnsemble` it is made of, but for rounding; needs Triton and, for speed, a GPU."""

    def __init__(self, ensemble: StackedEnsemble) -> None:
        super().__init__(ensemble.temperatures)
        _check(ensemble.temperatures.device)
        self.ensemble = ensemble
        self._layers = _Layers(ensemble.architecture, ensemble.weights)

    @property
    def weights(self) -> dict[str, Tensor]:
        """The weights as they were trained."""
        return self.ensemble.weights

    def forward(self, images: Tensor) -> Tensor:
        """Compute all members in one pass."""
        own = images if images.ndim == 5 else images.expand(len(self), *images.shape)
        answer: Tensor = _Answer.apply(own, self._layers)
        return answer

    def subset(self, members: list[int]) -> HalfEnsemble:
        """Return some of the members."""
        return HalfEnsemble(self.ensemble.subset(members))


class _Layers:
    """Weights in the layouts of the kernels; channels are padded with zeros to a power of two, 16 at least."""

    def __init__(self, architecture: Architecture, weights: dict[str, Tensor]) -> None:
        self.colours, self.hidden = architecture.shape[0], architecture.hidden
        kernels = [weights[f"conv{i}.weight"] for i in range(1, 5)]  # (members, out, in, 3, 3)
        self.channels = [_padded_size(kernel.shape[1]) for kernel in kernels]
        self.inputs = _padded_size(9 * self.colours)
        self.bias = [_pad(weights[f"conv{i + 1}.bias"].float(), [size]) for i, size in enumerate(self.channels)]
        first = kernels[0].flatten(2).transpose(1, 2)  # (members, in · 9, out)
        self.first = _pad(first, [self.inputs, self.channels[0]]).half()
        taps = [kernel.flatten(3).permute(0, 3, 2, 1) for kernel in kernels]  # (members, 9, in, out)
        self.first_back = _pad(taps[0].transpose(2, 3), [self.channels[0], 16]).half()
        before = self.channels[:-1]
        self.kernels = [
            _pad(tap, [size, out]).half() for tap, size, out in zip(taps[1:], before, self.channels[1:], strict=True)
        ]
        self.kernels_back = [kernel.transpose(2, 3).contiguous() for kernel in self.kernels]
        sides = [((side - 4) // 2 - 4) // 2 for side in architecture.shape[1:]]
        flat = weights["hidden1.weight"].unflatten(2, (kernels[3].shape[1], *sides)).movedim(2, 4)  # channels last
        flat = _pad(flat, [self.channels[3]]).flatten(2)
        self.connected = [
            (weight.transpose(1, 2).to(kind).contiguous(), weights[f"{name}.bias"].unsqueeze(1).to(kind))
            for name, weight, kind in (
                ("hidden1", flat, torch.float16),
                ("hidden2", weights["hidden2.weight"], torch.float16),
                ("logits", weights["logits.weight"], torch.float32),  # they may be as large as half precision goes
            )
        ]


class _Answer(Function):
    """Logits (members, n, classes) of images (members, n, colours, H, W)."""

    @staticmethod
    def forward(ctx: Any, images: Tensor, layers: _Layers) -> Tensor:
        images = images.contiguous()
        first = _first(images, layers)
        second, second_winner = _forward(first, layers, 0, pool=True)
        third, _ = _forward(second, layers, 1, pool=False)
        fourth, fourth_winner = _forward(third, layers, 2, pool=True)
        (to_one, add_one), (to_two, add_two), (to_logits, add_logits) = layers.connected
        one = torch.relu_(torch.baddbmm(add_one, fourth.flatten(2), to_one))
        two = torch.relu_(torch.baddbmm(add_two, one, to_two))
        ctx.layers, ctx.shape = layers, images.shape
        ctx.save_for_backward(first, second, second_winner, third, fourth_winner, one, two)
        return _finite(torch.baddbmm(add_logits, two.float(), to_logits), "logits")

    @staticmethod
    def backward(ctx: Any, *slopes: Tensor) -> tuple[Tensor, None]:
        first, second, second_winner, third, fourth_winner, one, two = ctx.saved_tensors
        layers: _Layers = ctx.layers
        (to_one, _), (to_two, _), (to_logits, _) = layers.connected
        (slope,) = slopes
        largest = slope.abs().amax(-1, keepdim=True).clamp(min=torch.finfo(torch.float32).tiny)
        back = torch.bmm(slope / largest, to_logits.transpose(1, 2)).half() * (two > 0)
        back = torch.bmm(back, to_two.transpose(1, 2)) * (one > 0)
        back = torch.bmm(back, to_one.transpose(1, 2)).view(*fourth_winner.shape)
        back = _backward(back, fourth_winner, third, layers, 2, pool=True)
        back = _backward(back, back, second, layers, 1, pool=False)
        back = _backward(back, second_winner, first, layers, 0, pool=True)
        slope = _finite(_first_back(back, ctx.shape, layers), "slopes")
        return slope * largest.view(*largest.shape, 1, 1), None


def _check(device: torch.device) -> None:
    if find_spec("triton") is None:
        raise MissingExtraError(
            'half precision needs the package "triton", which is not installed. Try: pip install "nymity-robust[gpu]"'
        )
    from triton import knobs

    if device.type != "cuda" and not knobs.runtime.interpret:
        raise ParameterError("half precision", expected="members on a GPU", got=device.type, hint="leave out --half")


def _finite(values: Tensor, what: str) -> Tensor:
    if not bool(values.isfinite().all()):
        raise ParameterError(
            "half precision",
            expected=f"{what} of at most 65,504 on the way",
            got="larger ones",
            hint="leave out --half: these members need single precision",
        )
    return values


def _first(images: Tensor, layers: _Layers) -> Tensor:
    from nymity_robust.convolution_kernels import first_forward

    members, n, colours, height, width = images.shape
    out = images.new_empty((members, n, height - 2, width - 2, layers.channels[0]), dtype=torch.float16)
    places = n * (height - 2) * (width - 2)
    first_forward[_grid(places, members)](
        images, layers.first, layers.bias[0], out, places, colours, height, width,
        inputs=layers.inputs, channels_out=layers.channels[0], block=BLOCK, num_warps=WARPS,
    )  # fmt: skip
    return out


def _forward(x: Tensor, layers: _Layers, layer: int, *, pool: bool) -> tuple[Tensor, Tensor]:
    """Return a layer's output, and which of four places pooling took."""
    from nymity_robust.convolution_kernels import forward

    members, n, height, width, channels = x.shape
    rows, columns = ((side - 2) // (2 if pool else 1) for side in (height, width))
    out = x.new_empty((members, n, rows, columns, layers.channels[layer + 1]))
    winner = torch.empty_like(out, dtype=torch.int8) if pool else out
    places = n * rows * columns
    forward[_grid(places, members)](
        x, layers.kernels[layer], layers.bias[layer + 1], out, winner, places, height, width,
        channels_in=channels, channels_out=layers.channels[layer + 1], pool=pool, block=BLOCK, num_warps=WARPS,
    )  # fmt: skip
    return out, winner


def _backward(slope: Tensor, winner: Tensor, x: Tensor, layers: _Layers, layer: int, *, pool: bool) -> Tensor:
    from nymity_robust.convolution_kernels import backward

    members, n, height, width, channels = x.shape
    out, places = torch.empty_like(x), n * height * width
    backward[_grid(places, members)](
        slope.contiguous(), winner, x, layers.kernels_back[layer], out, places, slope[0, ..., 0].numel(), height, width,
        channels_in=channels, channels_out=layers.channels[layer + 1], pool=pool, block=BLOCK, num_warps=WARPS,
    )  # fmt: skip
    return out


def _first_back(slope: Tensor, shape: torch.Size, layers: _Layers) -> Tensor:
    from nymity_robust.convolution_kernels import first_backward

    members, n, colours, height, width = shape
    out, places = slope.new_empty(shape, dtype=torch.float32), n * height * width
    first_backward[_grid(places, members)](
        slope, layers.first_back, out, places, colours, height, width,
        channels_out=layers.channels[0], padded=16, block=BLOCK, num_warps=WARPS,
    )  # fmt: skip
    return out


def _grid(places: int, members: int) -> tuple[int, int]:
    return -(-places // BLOCK), members


def _padded_size(size: int) -> int:
    return max(16, 1 << (size - 1).bit_length())


def _pad(values: Tensor, sizes: list[int]) -> Tensor:
    """Pad the last axes with zeros."""
    missing = [wanted - had for wanted, had in zip(sizes, values.shape[-len(sizes) :], strict=True)]
    ends = [end for more in reversed(missing) for end in (0, more)]
    return torch.nn.functional.pad(values, ends).contiguous()
