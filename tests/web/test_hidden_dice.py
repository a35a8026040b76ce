"""Two games of Mythical Dice that differ in what one player holds and bids are the same bytes for everybody else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import httpx
import pytest

from app.live.presence import Presence
from app.tables.codes import show_code
from app.tables.queries import load
from app.web.house import TableReader
from tests.games.mythical_dice.played import picks
from tests.web.service import API, Caller, guest, house_of, script_dice

pytestmark = pytest.mark.anyio

UNLIKE = {"date", "set-cookie", "x-request-id"}
"""Headers that differ for every answer, whatever is in it."""

PAGES = ("", "?watch=1", "/live", "/replay", "/replay?step=3", "/record")
CALLS = ("", "/events", "/events?after=2", "/replay", "/replay?step=3", "/record")

MOVES: list[dict[str, Any]] = [
    {"kind": "bid", "tricks": 9},
    {"kind": "bid", "tricks": 0, "more": 1},
    {"kind": "roll", "die": "minotaur"},
    {"kind": "roll", "die": "octopus"},
    {"kind": "peek", "seat": 1},
]


@pytest.fixture(autouse=True)
def nobody_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who is there just now is a matter of time, and of no interest here."""
    monkeypatch.setattr(Presence, "touch", lambda *_: None)


class World:
    """A table of three whose dice fall as told; seat 1 is the one with secrets."""

    def __init__(self, service: httpx.AsyncClient) -> None:
        self.service = service
        self.code = ""
        self.people: list[Caller] = []

    async def start(self, people: list[Caller], hands: Sequence[Sequence[str]]) -> None:
        self.people = people
        self.code = (await people[0].do("POST", "/tables", {"game": "mythical-dice", "options": {}}, 201))["code"]
        for person in people[1:]:
            await person.do("POST", f"/tables/{self.code}/seats", {}, 201)
        script_dice(self.service, 1, *picks(hands), 1)
        await people[0].do("POST", f"/tables/{self.code}/start")

    async def move(self, seat: int, **move: Any) -> None:
        table = await self.people[seat].do("GET", f"/tables/{self.code}")
        answer = await self.people[seat].move(self.code, table["you"]["turn"], **move)
        assert answer.status_code == 200, answer.text

    async def everything(self, who: Caller | None) -> list[object]:
        """Return all that somebody can get of the table: pages, fragment, API, log, stream, and every refusal."""
        await house_of(self.service).db.pool.execute("DELETE FROM presence")
        me = who or Caller(self.service)
        cookies = {"cookie": f"sid={me.token}"} if me.token else {}
        found = [await self._get(f"/t/{self.code}{path}", cookies) for path in PAGES]
        found += [self._same(await me.ask("GET", f"/tables/{self.code}{path}")) for path in CALLS]
        turn = (await me.ask("GET", f"/tables/{self.code}")).json()["you"]
        for move in MOVES:
            found.append(self._same(await me.move(self.code, turn and turn["turn"], **move)))
            form = {"do": move["kind"], "turn": "3", "hold": str(move.get("die", move.get("tricks", "")))}
            headers = {"sec-fetch-site": "same-origin", "hx-request": "true", **cookies}
            found.append(self._same(await me.http.post(f"/t/{self.code}/moves", data=form, headers=headers)))
        found.append(self._same(await me.ask("POST", f"/tables/{self.code}/undo", {"version": 5})))
        return [*found, *await self._streams(me)]

    async def _get(self, path: str, headers: dict[str, str]) -> object:
        http = httpx.AsyncClient(transport=self.service._transport, base_url=self.service.base_url)
        return self._same(await http.get(path, headers=headers))

    async def _streams(self, me: Caller) -> list[bytes]:
        house = house_of(self.service)
        table, _ = await load(house.db, self.code, None)
        readers = [TableReader(me.player, "en", form, "http://knobel.test") for form in ("html", "json")]
        return [self._masked(await house.first_message(table, reader)) for reader in readers]

    def _same(self, answer: httpx.Response) -> object:
        kept = {name: value for name, value in answer.headers.items() if name not in UNLIKE}
        return answer.status_code, self._masked(answer.content), self._masked(repr(sorted(kept.items())).encode())

    def _masked(self, content: bytes) -> bytes:
        for code in (self.code, show_code(self.code)):
            content = content.replace(code.encode(), b"CODE")
        return content


@pytest.mark.parametrize(
    ("hand", "instead", "bid", "other"),
    [("yellow", "gray", 0, 1), ("mermaid", "red", 0, 0)],
)
async def test_others_get_the_same_bytes(
    client: httpx.AsyncClient, hand: str, instead: str, bid: int, other: int
) -> None:
    people = [await guest(client, name) for name in ("Ana", "Bo", "Cleo")]
    stranger = await guest(client, "Dan")
    worlds = [World(client), World(client)]
    for world, held in zip(worlds, (hand, instead), strict=True):
        await world.start(people, [["red"], [held], ["purple"]])
    await compare(worlds, [people[2], None])
    for world, made in zip(worlds, (bid, other), strict=True):
        await world.move(1, kind="bid", tricks=made)
    await compare(worlds, [people[0], people[2], stranger, None])
    assert await worlds[0].everything(people[1]) != await worlds[1].everything(people[1])


async def test_others_get_the_same_bytes_while_the_dice_are_rolled(client: httpx.AsyncClient) -> None:
    people = [await guest(client, name) for name in ("Ana", "Bo", "Cleo")]
    worlds = [World(client), World(client)]
    for world, held in zip(worlds, ("yellow", "griffin"), strict=True):
        await world.start(people, [["red"], [held], ["purple"]])
        for seat in (1, 2, 0):
            await world.move(seat, kind="bid", tricks=0)
        await world.move(0, kind="roll", die="red")
    await compare(worlds, [people[0], people[2], None])


def differing(mine: object, other: object) -> str:
    """Return where two answers begin to differ."""
    one, two = str(mine), str(other)
    place = next((n for n, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two)))
    return f"{one[max(0, place - 300) : place + 60]}\n\n{two[max(0, place - 60) : place + 60]}"


async def compare(worlds: Sequence[World], viewers: Sequence[Caller | None]) -> None:
    for viewer in viewers:
        one, two = [await world.everything(viewer) for world in worlds]
        assert len(one) == len(two) > 20
        for mine, other in zip(one, two, strict=True):
            assert mine == other, differing(mine, other)


async def test_what_is_compared_is_there(client: httpx.AsyncClient) -> None:
    """The comparison would be empty if the pages were: the owner's own hold the die, the log the withheld faces."""
    people = [await guest(client, name) for name in ("Ana", "Bo", "Cleo")]
    world = World(client)
    await world.start(people, [["red"], ["minotaur"], ["purple"]])
    own = await people[1].do("GET", f"/tables/{world.code}")
    assert own["state"]["hand"] == ["minotaur"]
    log = (await people[1].do("GET", f"/tables/{world.code}/events"))["events"]
    draws = [event for event in log if event.get("reason") == "draw"]
    assert [draw["seen_by"] for draw in draws] == [[0], [1], [2]]
    assert all(draw["faces"] is None for draw in draws)
    page = await client.get(f"/t/{world.code}", headers={"cookie": f"sid={people[1].token}"})
    assert "Minotaur: itself on four faces" in page.text
    assert (await client.get(f"{API}/tables/{world.code}/record")).status_code == 409
