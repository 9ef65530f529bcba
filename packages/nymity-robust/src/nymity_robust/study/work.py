"""What the steps of this study do: run chapter 4 for one data set, and lay its result out in rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nymity_lab.study.study import Rows


def chapter_four(data: str, scale: str, folder: str) -> Rows:
    """Train, attack and certify, or go on with that; one row per defence, attack and certificate, and one of facts."""
    from nymity_robust.device import choose_device
    from nymity_robust.pipeline import plan, run_pipeline

    device = choose_device("auto")
    batch = 65_536 if device.type == "cuda" else 256
    return rows_of(run_pipeline(plan(data, scale), Path(folder), device, batch=batch))


def rows_of(result: dict[str, Any]) -> Rows:
    """Lay a result out."""
    made = result["plan"]
    facts = {
        "kind": "facts",
        "members": made["members"],
        "epochs": made["training"]["epochs"],
        "pairs": made["images"] * (9 if made["wishes"] == "every-target" else 1),
        "images": made["images"],
        "noise": made["noise"],
        "known": made["known"],
        "device": result["device"],
        "torch": result["torch_version"],
        "remark": result["remark"],
        "seconds_per_step": result["seconds_per_step"],
        "single": result["training"]["mean_single_accuracy"],
        "vote": result["training"]["vote"],
    }
    rows = [facts]
    for name, found in result["defences"].items():
        clean = {"clean": found["clean"], "single": found["clean_member_accuracy"], "pair": found["one_pair"]}
        rows.append({"kind": "defence", "defence": name, **clean})
        rows += [{"kind": "outcome", "defence": name, **outcome} for outcome in found["outcomes"].values()]
    rows += [{"kind": "certificate", **certificate} for certificate in result["certificates"]]
    rows += [{"kind": "sample", **sample} for sample in result.get("samples", ())]  # earlier runs have none
    return [{"data": made["data"], **row} for row in rows]
