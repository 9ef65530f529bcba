"""Page: an evaluation as one HTML file that opens without a network, with grids of images as in appendix B."""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Iterable
from html import escape

from torch import Tensor

from nymity_robust.evaluation import AttackOutcome, Evaluation
from nymity_robust.intervals import Share


def evaluation_page(evaluations: Iterable[Evaluation]) -> str:
    """Write evaluations as one page."""
    body = "\n".join(_section(evaluation) for evaluation in evaluations)
    return (
        f'<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>Robustness</title>{_STYLE}\n{body}\n</html>\n'
    )


def png(image: Tensor) -> bytes:
    """Encode pixels (1 or 3, height, width) in [0, 1] as a PNG file."""
    pixels = (image.clamp(0, 1) * 255).round().byte().permute(1, 2, 0).contiguous().numpy()
    height, width, channels = pixels.shape
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)  # every row begins with its filter: none
    header = struct.pack(">IIBBBBB", width, height, 8, 0 if channels == 1 else 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, content) for kind, content in chunks)


def _section(evaluation: Evaluation) -> str:
    facts = (
        f"{evaluation.data}, seed {evaluation.seed}, {evaluation.device}, torch {evaluation.torch_version}, "
        f"{evaluation.seconds:.0f} s. {evaluation.remark}"
    )
    rows = "".join(_row(outcome) for outcome in evaluation.outcomes)
    grids = "".join(_grid(outcome) for outcome in evaluation.outcomes)
    return (
        f"<h1>{escape(evaluation.defence)}: {escape(evaluation.heading)}</h1><p>{escape(facts)}</p>"
        f"<p>Clean accuracy {_share(evaluation.clean)}.</p><table><tr><th>attack<th>adaptive<th>correct<th>target"
        f"<th>other<th>perturbation<th>examples</tr>{rows}</table>{grids}"
    )


def _row(outcome: AttackOutcome) -> str:
    sizes = ", ".join(f"{kind} {size:.1%}" for kind, size in outcome.perturbation.items() if size is not None)
    shares = "".join(f"<td>{_share(one)}" for one in (outcome.correct, outcome.target, outcome.other))
    known = "yes" if outcome.adaptive else "no"
    return f"<tr><td>{escape(outcome.name)}<td>{known}{shares}<td>{sizes}<td>{outcome.correct.n:,}</tr>"


def _grid(outcome: AttackOutcome) -> str:
    """Show each image beside its adversarial example and what the defence answered."""
    cells = "".join(
        f"<figure>{_image(original)}{_image(example)}<figcaption>{int(answer)}</figcaption></figure>"
        for original, example, answer in zip(*outcome.shown, strict=True)
    )
    return f"<h2>{escape(outcome.name)}</h2><div>{cells}</div>"


def _image(image: Tensor) -> str:
    return f'<img alt="" src="data:image/png;base64,{base64.b64encode(png(image)).decode()}">'


def _share(one: Share) -> str:
    return f"{one.value:.1%} ({one.low:.1%} to {one.high:.1%})"


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


_STYLE = (
    "<style>body{font:15px/1.4 sans-serif;max-width:70em;margin:2em auto}td,th{padding:.2em .8em;text-align:left}"
    "figure{display:inline-block;margin:.3em;text-align:center}img{width:56px;image-rendering:pixelated}</style>"
)
