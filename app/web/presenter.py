"""From a snapshot of a table to the typed contexts of the templates, for one viewer. No HTML and no request here."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from app.core import codec
from app.core.board import Board, Frame
from app.core.engine import AnyGame
from app.core.game import Outcome, Seat, Viewer
from app.core.text import Player, Text, say, tally
from app.games import CURRENT, Entry, find
from app.tables.chronicle import Story
from app.tables.clocks import CLOCKS, is_missing
from app.tables.codes import show_code
from app.tables.replay import Replay
from app.tables.snapshot import Seated, Snapshot
from app.web.contexts import (
    Absent,
    Chair,
    Deadline,
    GameContext,
    GameTile,
    Notice,
    OptionChoice,
    OptionField,
    Pointed,
    Rank,
    ReplayContext,
    ResultContext,
    RoomContext,
    Step,
    TableCard,
    TableContext,
)

SHAPES = 10
LOG_LINES = 15
"""Lines of the log on the table page; the replay has all of them."""


def path_of(code: str) -> str:
    """Return the address of a table, without host."""
    return f"/t/{code}"


def chairs_of(table: Snapshot, viewer: Viewer) -> tuple[Chair, ...]:
    """Return the taken seats, and before the start the first free one behind them."""
    taken = [
        Chair(
            seat=seated.seat,
            shape=seated.seat % SHAPES + 1,
            name=seated.name,
            you=seated.seat == viewer,
            host=seated.player_id is not None and seated.player_id == table.host_id,
            present=seated.present or seated.seat == viewer or (seated.bot is not None and seated.player_id is None),
            to_act=table.status == "playing" and seated.asked_at is not None,
            bot=seated.bot,
            stand_in=seated.bot is not None and seated.player_id is not None,
            deadline=_deadline(table, seated),
        )
        for seated in table.seats
    ]
    if table.status == "open" and len(taken) < table.game.info.max_players:
        free = next(seat for seat in range(len(taken) + 1) if all(chair.seat != seat for chair in taken))
        taken.append(Chair(free, free % SHAPES + 1, None))
    return tuple(taken)


def _deadline(table: Snapshot, seated: Seated) -> Deadline | None:
    if table.status != "playing" or seated.deadline is None or seated.asked_at is None:
        return None
    at = datetime.fromtimestamp(seated.deadline, UTC)
    left = max(0, round(seated.deadline - table.at))
    return Deadline(at.isoformat(timespec="seconds"), at.strftime("%Y-%m-%d %H:%M UTC"), left)


def _absent(table: Snapshot, viewer: Viewer, chairs: Sequence[Chair]) -> tuple[Absent, ...]:
    """Return the seats about which others may decide; the viewer's own is not among them."""
    if table.status != "playing":
        return ()
    for_end = tuple(chairs[seated.seat] for seated in table.seats if seated.vote == "end")
    me = None if viewer is None else table.seated(viewer)
    return tuple(
        Absent(
            chair=chairs[seated.seat],
            over=seated.flagged_at == seated.asked_at,
            may_decide=me is not None and me.person,
            vote=None if me is None else me.vote,
            for_end=for_end,
        )
        for seated in table.seats
        if seated.seat != viewer and is_missing(table, seated)
    )


def tile(entry: Entry) -> GameTile:
    """Return a game as the home page shows it."""
    info = entry.game.info
    return GameTile(info.slug, info.title, entry.board.pitch()[0], info.min_players, info.max_players, info.minutes)


def tiles() -> tuple[GameTile, ...]:
    """Return all games, in the order of the registry."""
    return tuple(tile(entry) for entry in CURRENT.values())


def game_context(entry: Entry) -> GameContext:
    """Return the page of one game."""
    fields = []
    for option in codec.option_choices(entry.game.options_type):
        choices = tuple(
            OptionChoice(str(choice), entry.board.option_text(option["id"], choice)[1], choice == option["default"])
            for choice in option["choices"]
        )
        label = entry.board.option_text(option["id"], option["default"])[0]
        fields.append(OptionField(option["id"], label, choices))
    clocks = tuple(OptionChoice(clock.id, clock.text, not clock.runs) for clock in CLOCKS.values())
    return GameContext(tile(entry), entry.board.pitch()[1:], tuple(fields), clocks)


def parse_options(game: AnyGame, form: dict[str, str]) -> dict[str, object]:
    """Return the options posted by the form of a game's page as plain data; unknown fields and values are passed on."""
    found: dict[str, object] = {}
    known = {option["id"]: option["choices"] for option in codec.option_choices(game.options_type)}
    for name, value in form.items():
        found[name] = next((choice for choice in known.get(name, []) if str(choice) == value), value)
    return found


def table_card(table: Snapshot, me: str | None) -> TableCard:
    """Return one of my tables for the home page, or one that is open to anybody (`me` is None)."""
    viewer = table.seat_of(me)
    chairs = chairs_of(table, viewer)
    yours = table.is_asked(viewer)
    where = None
    if table.status == "playing":
        where = table.board.frame(table.view(viewer), viewer, (), fresh=False).where
    return TableCard(
        path=path_of(table.code),
        title=table.game.info.title,
        status=table.status,
        chairs=chairs,
        your_turn=yours,
        waiting_for=tuple(chair.name or "" for chair in chairs if chair.to_act and not chair.you),
        where=where,
        free_seats=table.game.info.max_players - len(table.seats) if table.status == "open" else 0,
        mine=me is not None,
        clock=table.clock.text if table.status == "open" and table.clock.runs else None,
    )


def table_context(
    table: Snapshot,
    me: str | None,
    story: Story,
    *,
    origin: str,
    fresh: bool = False,
    watching: bool = False,
    notice: Notice | None = None,
) -> TableContext:
    """Return the table page for player `me` (None: somebody unknown). `story`: the log as this viewer may see it."""
    chairs, frame = chairs_of(table, viewer := table.seat_of(me)), _frame(table, viewer, fresh=fresh)
    mine = None if viewer is None else table.seated(viewer)
    return TableContext(
        slug=table.slug,
        game_title=table.game.info.title,
        path=path_of(table.code),
        code=show_code(table.code),
        link=origin + path_of(table.code),
        status=table.status,
        version=table.version,
        title=_title(table, viewer, frame),
        chairs=chairs,
        me=viewer,
        host=me is not None and table.host_id == me,
        room=_room(table),
        pitch=table.board.pitch()[1:],
        turn=mine.asked_at if mine is not None and mine.bot is None else None,
        undo=None if mine is None or mine.bot is not None or table.undo_seat != viewer else story.done,
        frame=frame,
        log=story.lines[-LOG_LINES:],
        notice=notice,
        result=_result(table, chairs),
        rematch=None if table.rematch is None else path_of(table.rematch),
        watching=watching,
        points=_points(table, chairs, frame),
        resting=table.status == "playing" and mine is not None and mine.bot is not None,
        late=table.is_asked(viewer) and mine is not None and mine.flagged_at == mine.asked_at,
        absent=_absent(table, viewer, chairs),
    )


def _points(table: Snapshot, chairs: Sequence[Chair], frame: Frame | None) -> tuple[Pointed, ...]:
    """Return who points at what, as far as this viewer's page has it too: its words are those of this page."""
    words = {} if frame is None or table.status != "playing" else {one.value: one.text for one in frame.targets}
    found = {chair.seat: chair for chair in chairs}
    return tuple(
        Pointed(
            found[point.seat],
            point.target,
            say("{player} points at: {target}", player=Player(point.seat), target=words[point.target]),
        )
        for point in table.points
        if point.target in words and point.seat in found
    )


def _frame(table: Snapshot, viewer: Viewer, *, fresh: bool) -> Frame | None:
    if table.state is None:
        return None
    return table.board.frame(table.view(viewer), viewer, table.actions(viewer), fresh=fresh)


def _room(table: Snapshot) -> RoomContext:
    info, entry = table.game.info, find(table.slug, table.rules)
    return RoomContext(
        min_players=info.min_players,
        max_players=info.max_players,
        options=tuple(table.board.option_text(name, value) for name, value in codec.data(table.options).items()),
        standard_options=table.options == table.game.options_type(),
        public=table.visibility == "public",
        clock=table.clock.text if table.clock.runs else None,
        levels=tuple(bot.level for bot in entry.bots) if entry is not None else (),
    )


def _title(table: Snapshot, viewer: Viewer, frame: Frame | None) -> Text:
    game = table.game.info.title
    if table.status == "playing" and frame is not None:
        if table.is_asked(viewer):
            return say("Your turn · {game}", game=game)
        return say("{status} · {game}", status=frame.status, game=game)
    if table.outcome is not None:
        return say("{status} · {game}", status=headline(table.outcome), game=game)
    host = next((seated for seated in table.seats if seated.player_id == table.host_id), None)
    if table.status == "open" and viewer is None and host is not None:
        return say("{name} invites you to {game}", name=host.name, game=game)
    return say("{game}, waiting for people", game=game)


def headline(outcome: Outcome) -> Text:
    """Say in a few words how a game ended."""
    winners = outcome.winners
    if outcome.kind == "team":
        return say("You have won together") if winners else say("You have lost together")
    if len(outcome.scores) == 1:
        return tally("{n} point", "{n} points", outcome.scores[0])
    if len(winners) == 1:
        return say("{player} wins", player=Player(winners[0]))
    names: Text = say("{player}", player=Player(winners[0]))
    for seat in winners[1:-1]:
        names = say("{names}, {player}", names=names, player=Player(seat))
    return say("{names} and {player} win together", names=names, player=Player(winners[-1]))


def _result(table: Snapshot, chairs: Sequence[Chair]) -> ResultContext | None:
    return None if table.outcome is None else _ranked(table.board, table.outcome, table.view(None), chairs)


def _ranked(board: Board, outcome: Outcome, view: object, chairs: Sequence[Chair]) -> ResultContext:
    notes = board.summary(outcome, view)
    order = sorted(range(len(outcome.scores)), key=lambda seat: -outcome.scores[seat])
    ranks = tuple(
        Rank(
            place=1 + sum(score > outcome.scores[seat] for score in outcome.scores),
            chair=next(chair for chair in chairs if chair.seat == seat),
            score=outcome.scores[seat],
            winner=seat in outcome.winners,
            note=notes[seat],
        )
        for seat in order
    )
    return ResultContext(headline(outcome), _gap(outcome, ranks), ranks)


def _gap(outcome: Outcome, ranks: Sequence[Rank]) -> Text:
    best = ranks[0]
    if len(ranks) == 1:  # the headline has the points
        return best.note
    second = next((rank for rank in ranks if rank.score < best.score), None)
    points = tally("{n} point", "{n} points", best.score)
    if second is None or outcome.kind == "team":
        return points
    ahead = best.score - second.score
    return say("{points}, {ahead} ahead of {player}", points=points, ahead=ahead, player=Player(second.chair.seat))


def replay_context(
    table: Snapshot, me: str | None, shown: Replay, *, origin: str, playing: bool, seat: Seat | None = None
) -> ReplayContext:
    """Return the replay page at one step: with all open, as after the end, or as a seat saw it."""
    viewer = table.seat_of(me)
    chairs = chairs_of(table, viewer)
    frame = table.board.frame(shown.view, seat, (), fresh=playing)
    result = None
    if shown.outcome is not None:
        result = _ranked(table.board, shown.outcome, shown.view, chairs)
    return ReplayContext(
        slug=table.slug,
        game_title=table.game.info.title,
        path=path_of(table.code),
        code=show_code(table.code),
        link=f"{origin}{path_of(table.code)}/replay?step={shown.step}",
        seat=seat,
        hidden=table.game.info.hidden,
        step=shown.step,
        steps=shown.steps,
        playing=playing,
        chairs=chairs,
        frame=frame,
        contents=tuple(Step(step, line) for step, line in shown.lines),
        current=next((line for step, line in reversed(shown.lines) if step == shown.step), None),
        result=result,
    )
