"""What a table of Mythical Dice may agree on; where the rules text is silent or ambiguous, and one display option."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from app.core.game import Value


@dataclass(frozen=True, slots=True)
class Options(Value):
    """The options of a table.

    `colour_setter`: which die sets the colour to follow. `three_kinds`: who wins when minotaur, griffin and mermaid
    all show: the latest mermaid, or the last die that beat the best one before it. `all_flags`: who wins a trick of
    flags, the first or the last. `flag_clause`: a bonus wants the captured die to show its character (A), or no flag
    in the whole trick (B). `griffin_bonus`: 30 for each griffin the minotaur captures, or 30 once in a trick.
    `scoring`: "simplified" gives 0 for a missed bid above 0, and no bonuses. `lead`: who leads a later round, the next
    seat or the winner of the last trick. `skin` changes what the dice look like and are called, and no rule.
    """

    colour_setter: Literal["first_number_die", "leader_only"] = "first_number_die"
    three_kinds: Literal["mermaid", "sequential"] = "mermaid"
    all_flags: Literal["first", "last"] = "first"
    flag_clause: Literal["A", "B"] = "A"
    griffin_bonus: Literal["per_griffin", "flat"] = "per_griffin"
    scoring: Literal["standard", "simplified"] = "standard"
    lead: Literal["rotate", "winner"] = "rotate"
    skin: Literal["mythical", "pirate"] = "mythical"
