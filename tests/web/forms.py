"""Reads pages as a browser without script does: what they say, their links, and forms to fill in and post."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import urljoin

import httpx

_VOID = frozenset(
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"]
)


@dataclass(eq=False)
class Node:
    """An element: its attributes (None as "") and what is in it."""

    tag: str
    attrs: dict[str, str] = field(default_factory=dict)
    children: list[Node | str] = field(default_factory=list)

    def walk(self) -> Iterator[Node]:
        """Yield this element and all below it."""
        yield self
        for child in self.children:
            if isinstance(child, Node):
                yield from child.walk()

    @property
    def text(self) -> str:
        """What it says, white space collapsed; scripts and styles say nothing."""
        if self.tag in {"script", "style"}:
            return ""
        parts = [child if isinstance(child, str) else child.text for child in self.children]
        return " ".join("".join(f" {part} " if len(part) > 1 else part for part in parts).split())

    def all(self, tag: str | None = None, **attrs: str) -> list[Node]:
        """Return the elements below with this tag and these attributes (`data_x` for `data-x`)."""
        wanted = {name.rstrip("_").replace("_", "-"): value for name, value in attrs.items()}
        return [
            node
            for node in self.walk()
            if (tag is None or node.tag == tag) and all(node.attrs.get(name) == wanted[name] for name in wanted)
        ]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Node("")
        self._open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = Node(tag, {name: value or "" for name, value in attrs})
        self._open[-1].children.append(node)
        if tag not in _VOID:
            self._open.append(node)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._open[-1].children.append(Node(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        for place in range(len(self._open) - 1, 0, -1):
            if self._open[place].tag == tag:
                del self._open[place:]
                return

    def handle_data(self, data: str) -> None:
        self._open[-1].children.append(data)


@dataclass(frozen=True)
class Form:
    """A form: where it goes, what is sent as it stands, and its submit buttons as (name, value, label)."""

    node: Node
    action: str
    method: str
    fields: tuple[tuple[str, str], ...]
    buttons: tuple[tuple[str, str, str], ...]

    def filled(self, button: str | None = None, **changes: str | list[str] | None) -> list[tuple[str, str]]:
        """Return what is sent with some fields changed (None: left out), by the button with the value `button`."""
        sent = [(name, value) for name, value in self.fields if name not in changes]
        for name, value in changes.items():
            sent += [(name, one) for one in ([] if value is None else [value] if isinstance(value, str) else value)]
        chosen = next((each for each in self.buttons if button is None or each[1] == button), None)
        assert chosen is not None or button is None, f"no button {button!r} in the form for {self.action}"
        if chosen is not None and chosen[0]:
            sent.append(chosen[:2])
        return sent


class Page(Node):
    """A page as it came, with the status and the address of the answer."""

    def __init__(self, html: str, status: int = 200, url: str = "") -> None:
        reader = _Reader()
        reader.feed(html)
        super().__init__("", {}, reader.root.children)
        self.html, self.status, self.url = html, status, url

    @property
    def title(self) -> str:
        """The tab's title."""
        return self.all("title")[0].text

    @property
    def lang(self) -> str:
        """The language it says it is in."""
        return self.all("html")[0].attrs["lang"]

    def id(self, name: str) -> Node:
        """Return the element with this id; there must be exactly one."""
        found = self.all(id=name)
        assert len(found) == 1, f"{len(found)} elements with id {name!r}"
        return found[0]

    def has(self, name: str) -> bool:
        """Whether there is an element with this id."""
        return bool(self.all(id=name))

    @property
    def links(self) -> list[str]:
        """Where its links go."""
        return [node.attrs["href"] for node in self.all("a") if "href" in node.attrs]

    @property
    def forms(self) -> list[Form]:
        """Its forms, in order."""
        return [_form(node, self._elsewhere(node)) for node in self.all("form")]

    def _elsewhere(self, form: Node) -> list[Node]:
        """Return the controls outside of a form that name it as theirs."""
        name = form.attrs.get("id")
        return [node for node in self.walk() if name is not None and node.attrs.get("form") == name]

    def form(self, end: str, **fields: str) -> Form:
        """Return the only form whose action ends so and that sends these fields as it stands."""
        found = [form for form in self.forms if form.action.endswith(end) and set(fields.items()) <= set(form.fields)]
        assert len(found) == 1, f"{len(found)} forms for {end} among {[form.action for form in self.forms]}"
        return found[0]

    @property
    def notices(self) -> list[str]:
        """What the notices say, without the hidden one about the network."""
        return [
            node.text for node in self.all("p") if "notice" in node.attrs.get("class", "").split() and not hidden(node)
        ]


def hidden(node: Node) -> bool:
    """Whether an element is marked as hidden."""
    return "hidden" in node.attrs


def _form(node: Node, elsewhere: list[Node]) -> Form:
    fields: list[tuple[str, str]] = []
    buttons = []
    for part in (*node.walk(), *elsewhere):
        kind, name = part.attrs.get("type", ""), part.attrs.get("name", "")
        if part.tag == "button" and kind in {"", "submit"}:
            buttons.append((name, part.attrs.get("value", ""), part.text or part.attrs.get("aria-label", "")))
        elif part.tag == "select" and name:
            options = part.all("option")
            chosen = next((option for option in options if "selected" in option.attrs), options[0])
            fields.append((name, chosen.attrs["value"]))
        elif part.tag == "input" and name and (kind not in {"checkbox", "radio"} or "checked" in part.attrs):
            fields.append((name, part.attrs.get("value", "on" if kind == "checkbox" else "")))
    method = node.attrs.get("method", "get").lower()
    return Form(node, node.attrs.get("action", ""), method, tuple(fields), tuple(buttons))


class Browser:
    """Somebody's browser without script: keeps cookies, follows redirects, counts what its user did."""

    def __init__(self, service: httpx.AsyncClient, language: str = "en") -> None:
        self.http = httpx.AsyncClient(
            transport=service._transport,
            base_url=service.base_url,
            headers={"Accept-Language": language, "Sec-Fetch-Site": "same-origin"},
        )
        self.page = Page("")
        self.clicks = 0
        self.typed = 0

    async def get(self, path: str) -> Page:
        """Open an address and go where it leads."""
        answer = await self.http.get(path, follow_redirects=True)
        self.page = Page(answer.text, answer.status_code, str(answer.url))
        return self.page

    async def click(self, path: str) -> Page:
        """Follow a link of the page."""
        assert path in self.page.links, f"no link to {path}"
        self.clicks += 1
        return await self.get(urljoin(self.page.url, path))

    async def submit(self, form: Form, button: str | None = None, **changes: str | list[str] | None) -> Page:
        """Send a form and go where the answer leads."""
        self.clicks += 1
        self.typed += sum(1 for name in changes if name in {"name", "code"})
        return await self.post(form.action, form.filled(button, **changes))

    async def post(self, path: str, fields: list[tuple[str, str]] | None = None, **headers: str) -> Page:
        """Post fields, whether or not a page offers to, and go where the answer leads."""
        data: dict[str, list[str]] = {}
        for name, value in fields or []:
            data.setdefault(name, []).append(value)
        answer = await self.http.post(path, data=data, headers=headers)
        if answer.is_redirect:
            return await self.get(answer.headers["location"])
        self.page = Page(answer.text, answer.status_code, str(answer.url))
        return self.page

    async def reload(self) -> Page:
        """Open the present address again."""
        return await self.get(self.page.url)
