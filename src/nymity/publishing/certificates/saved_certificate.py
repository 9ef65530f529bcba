"""SavedCertificate: the certificate of a release that was just written, shown by what was promised and which files."""

from __future__ import annotations

from typing import Any

from nymity.core.card import Card, Carded, CardTable


class SavedCertificate(Carded, dict[str, Any]):
    """A certificate, which is a ``dict``; it shows itself on one screen, as what ``release.save(folder)`` returns."""

    def card(self) -> Card:
        """Return what is shown: promises, and the files with their hashes."""
        kept = self["measured"]["holds"]
        return Card(
            title="Written",
            verdict="every promise holds" if kept else "a promise is broken",
            tone="good" if kept else "bad",
            sentences=[f"{one['means']}." for one in self["promised"]],
            warnings=[one["says"] for one in self["not_protected"]],
            tables=[CardTable(columns=("file", "sha256"), rows=[(one["file"], one["sha256"]) for one in self["files"]])]
            if self.get("files")
            else [],
            foot="The certificate, a dict: dict(...) of it shows all",
        )
