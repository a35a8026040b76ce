from __future__ import annotations

import random
from typing import Any

import pytest

from app.core import codec
from app.core.game import Viewer
from app.games.mythical_dice.rules import GAME
from app.games.mythical_dice.state import Bid
from app.web.language import LANGUAGES, Language
from app.web.presenter import game_context
from tests.games.mythical_dice.pages import PAGE, Forms, by_text, lines, page, renderer, replayed, states
from tests.games.mythical_dice.played import Played, second_round


@pytest.mark.parametrize("preset", [{}, {"skin": "pirate"}], ids=["mythical", "pirate"])
@pytest.mark.parametrize("players", [3, 4, 6])
def test_every_legal_move_and_no_other_can_be_posted(players: int, preset: dict[str, Any]) -> None:
    for state in states(players, players, preset)[::2]:
        for viewer in {*GAME.to_act(state), 0}:
            html = page(state, viewer)
            wanted = [codec.action_data(action) for action in GAME.actions(state, viewer)]
            found = Forms(html).moves() if wanted else []
            assert sorted(found, key=by_text) == sorted(wanted, key=by_text)
            if not wanted:
                assert not Forms(html).radios


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_page_of_every_viewer_renders_in_both_languages_and_at_a_fresh_roll(language: Language) -> None:
    for state in states(4, 1)[::5]:
        for viewer in (0, 3, None):
            assert 'id="mythical"' in page(state, viewer, fresh=True, language=language)


@pytest.mark.parametrize("players", [3, 5])
def test_the_page_is_the_same_in_worlds_that_a_viewer_cannot_tell_apart(players: int) -> None:
    rng = random.Random(players)
    changed = 0
    for state in states(players, 2)[::3]:
        for viewer in (0, None):
            world = GAME.resample(state, viewer, rng)
            changed += world != state
            assert page(world, viewer, fresh=True) == page(state, viewer, fresh=True)
    assert changed > 10


def test_page_and_log_are_the_same_for_others_whatever_somebody_holds_and_bids() -> None:
    found: dict[Viewer, list[str]] = {}
    for hand, bid in (("red", 0), ("minotaur", 1)):
        game = Played([["purple"], [hand], ["yellow"]])
        game.move(1, Bid(bid))
        for viewer in (0, 1, 2, None):
            told = lines(game.events, game.options, 3, viewer)
            found.setdefault(viewer, []).append(page(game.state, viewer, told, fresh=True))
    for viewer in (0, 2, None):
        assert found[viewer][0] == found[viewer][1]
    assert found[1][0] != found[1][1]


def test_a_die_that_may_not_be_rolled_says_why() -> None:
    game = second_round([["red", "red"], ["gray", "red"], ["gray", "gray"]], lead="winner")
    game.bids(1, 1, 0)
    game.roll(0, "red", 7)
    form = Forms(page(game.state, 1))
    assert form.radios == [("red", True), ("gray", False)]
    assert form.labels["gray"] == "Gray: 7 1 1 and three flags. Not now. You have red: roll red or a creature."
    assert form.labels["red"] == "Red: 7 7 6 6 5 5"


def test_the_only_die_that_may_be_rolled_is_chosen_already_and_else_none_is() -> None:
    game = second_round([["red", "red"], ["gray", "red"], ["gray", "purple"]], lead="winner")
    game.bids(1, 1, 0)
    game.roll(0, "red", 7)
    assert page(game.state, 1).count(" checked") == 1
    game.roll(1, "red", 7)
    assert page(game.state, 2).count(" checked") == 0


def test_own_dice_are_shown_with_their_number_and_only_to_their_owner() -> None:
    game = second_round([["red", "red"], ["griffin", "mermaid"], ["gray", "gray"]])
    assert "Red: 7 7 6 6 5 5, 2 dice" in page(game.state, 0)
    for viewer in (1, 2, None):
        assert "Red: 7 7 6 6 5 5, 2 dice" not in page(game.state, viewer)
    assert "only you see these" in page(game.state, 0)
    assert "only you see these" not in page(game.state, None)


def test_the_replay_shows_every_hand_or_looks_through_one_players_eyes() -> None:
    game = second_round([["red", "red"], ["griffin", "mermaid"], ["gray", "purple"]])
    game.move(1, Bid(2))
    everybody = replayed(game.state)
    for label in (
        "Red: 7 7 6 6 5 5, 2 dice",
        "Griffin: itself",
        "Mermaid: itself",
        "Gray: 7 1 1",
        "Purple: 3 3 2 2 1 1",
    ):
        assert label in everybody
    assert "Bid 2" in everybody
    one = replayed(game.state, 1)
    hands = one[one.index('id="hands-h"') : one.index('id="sc-h"')]
    assert "Griffin: itself" in hands
    assert "Red: 7 7" not in hands
    assert "Bid 2" in one
    assert "Bid 2" not in replayed(game.state, 0)


def test_options_rules_and_tile_render() -> None:
    from app.games import CURRENT

    context = game_context(CURRENT["mythical-dice"])
    for language in LANGUAGES:
        html = renderer().page(language, "game.html", game=context, page=PAGE, me=None)
        assert html.count("<select") == 8 + 2  # and who finds it, and the clock
        assert html.count("<tr>") == 7


def test_the_pirate_skin_shows_other_dice_and_posts_the_same_moves() -> None:
    game = second_round([["red", "griffin"], ["minotaur", "red"], ["gray", "gray"]], lead="winner", skin="pirate")
    game.bids(1, 1, 0)
    html = page(game.state, 0)
    assert Forms(html).radios == [("griffin", True), ("red", True)]
    assert Forms(html).labels == {"griffin": "Pirate: itself on four faces, a flag on two", "red": "Black: 7 7 6 6 5 5"}
    assert "Griffin" not in html
    assert 'data-color="black"' in html
