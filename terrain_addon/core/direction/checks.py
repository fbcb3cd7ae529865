"""What cannot be drawn: each fault is one sentence that says what to change."""

from collections.abc import Sequence

from .features import Feature


def check_features(features: Sequence[Feature], width: float, depth: float) -> None:
    """Refuse features that cannot be."""
