"""Refusals: one class each, with its HTTP status, its code in the API, and words for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from app.core.text import Text, say

if TYPE_CHECKING:
    from app.tables.snapshot import Snapshot


class Refusal(Exception):
    """A command that was refused; nothing was changed. `snapshot` is the table as it is now, where there is one."""

    status: ClassVar[int] = 409
    code: ClassVar[str] = "invalid"
    text: ClassVar[Text] = say("That is not possible now.")

    def __init__(self, reason: Text | None = None, snapshot: Snapshot | None = None) -> None:
        self.reason = reason or self.text
        self.snapshot = snapshot
        super().__init__(self.reason.key)


class Unauthenticated(Refusal):
    """Nobody is known by this cookie or token."""

    status, code = 401, "unauthenticated"
    text = say("I do not know you yet. Sit down at a table first.")


class NotYourSeat(Refusal):
    """The caller does not sit there."""

    status, code = 403, "not_your_seat"
    text = say("You do not sit at this table.")


class NotHost(Refusal):
    """Only the host may do that."""

    status, code = 403, "not_host"
    text = say("Only the host of this table can do that.")


class ForeignPage(Refusal):
    """A form sent from another site (CSRF)."""

    status, code = 403, "forbidden"
    text = say("That came from another site. Open the page here and try again.")


class NotFound(Refusal):
    """There is no such table, seat or game."""

    status, code = 404, "not_found"
    text = say("There is no such table.")


class NoSuchGame(NotFound):
    """There is no game of that name."""

    text = say("There is no such game.")


class StaleTurn(Refusal):
    """The move belongs to a question that is no longer asked."""

    status, code = 409, "stale_turn"
    text = say("The table has moved on. This is how it stands now.")


class TimeOver(StaleTurn):
    """The clock was faster."""

    text = say("Your time was over before that move came.")


class NotYourTurn(Refusal):
    """The seat is not asked."""

    status, code = 409, "not_your_turn"
    text = say("It is not your turn.")


class PlayedByBot(NotYourTurn):
    """A bot stands in for the caller."""

    text = say("A bot plays for you just now. Take your seat back first.")


class NotAway(Refusal):
    """Nobody may decide about a seat whose person is there, or may be back in time."""

    status, code = 409, "not_away"
    text = say("There is nothing to decide about that seat just now.")


class TableFull(Refusal):
    """No seat is free."""

    status, code = 409, "table_full"
    text = say("All seats are taken. You can watch.")


class AlreadyStarted(Refusal):
    """Only possible before the start."""

    status, code = 409, "already_started"
    text = say("The game has already started.")


class NotEnoughPlayers(Refusal):
    """Fewer people than the game needs."""

    status, code = 409, "not_enough_players"
    text = say("There are not enough players yet.")


class NotFinished(Refusal):
    """Only possible after the end."""

    status, code = 409, "not_finished"
    text = say("The game is still running.")


class NotStarted(Refusal):
    """Only possible while the game runs, and it has not begun."""

    status, code = 409, "not_your_turn"
    text = say("The game has not started yet.")


class Finished(Refusal):
    """The game is over."""

    status, code = 409, "finished"
    text = say("The game is over.")


class NothingToUndo(Refusal):
    """Nothing of the caller's can be taken back, or the table is at another version."""

    status, code = 409, "nothing_to_undo"
    text = say("There is nothing to take back.")


class RefusedMove(Refusal):
    """A move the rules do not allow now."""

    status, code = 422, "illegal_move"


class Invalid(Refusal):
    """Input without the wanted shape."""

    status, code = 422, "invalid"
    text = say("That could not be understood.")


class TooManyRequests(Refusal):
    """Too much at once; `retry_after` is in seconds."""

    status, code = 429, "too_many_requests"
    text = say("That was a bit much at once. Wait a moment and try again.")

    def __init__(self, retry_after: int) -> None:
        super().__init__()
        self.retry_after = retry_after


class Unreadable(Refusal):
    """What is stored of a table cannot be decoded: this table rests until its host has looked at it."""

    status, code = 503, "unreadable"
    text = say(
        "This table cannot be read just now. Nothing of it is lost; tell whoever runs this server the number below."
    )


class Unavailable(Refusal):
    """The database does not answer."""

    status, code = 503, "unavailable"
    text = say("Saving is not possible right now. Trying again soon; nothing that was answered is lost.")
