"""The words of Vault for people: titles, options and their choices."""

from __future__ import annotations

from app.core.text import Text, say

TITLE_WORDS: dict[str, Text] = {
    "pink_panther": say("Pink Panther"),
    "bank_robber": say("bank robber"),
    "cat_burglar": say("cat burglar"),
    "shoplifter": say("shoplifter"),
    "pickpocket": say("pickpocket"),
}
"""The five titles."""

OPTIONS: dict[str, Text] = {
    "sheet": say("Sheet"),
    "sum_rule": say("Sums"),
    "skimmer_as_die": say("Skimmers alone"),
    "reroll_timing": say("Re-rolls"),
    "auto_end": say("Last die used"),
    "tie": say("Equal scores"),
}
"""The options, by field."""

WAYS: dict[tuple[str, str], Text] = {
    ("sheet", "random"): say("any, drawn by lot"),
    ("sheet", "easy"): say("an easy one, drawn by lot"),
    ("sheet", "standard"): say("a standard one, drawn by lot"),
    ("sheet", "hard"): say("a hard one, drawn by lot"),
    ("sheet", "day"): say("the sheet of the day"),
    ("sum_rule", "any"): say("any dice, plus and minus"),
    ("sum_rule", "no_mix"): say("only plus, or one minus another"),
    ("sum_rule", "two"): say("two dice at most"),
    ("skimmer_as_die", "all"): say("in every box"),
    ("skimmer_as_die", "numbers_only"): say("in number boxes only"),
    ("reroll_timing", "any_time"): say("at any time"),
    ("reroll_timing", "before_first"): say("before the first cross or charge of a round"),
    ("auto_end", "literal"): say("ends the round"),
    ("auto_end", "ask"): say("lets you use charged skimmers first"),
    ("tie", "shared"): say("share the win"),
    ("tie", "more_gems"): say("more gems win"),
}
"""The choices of the options; sheets are called by their own names."""
