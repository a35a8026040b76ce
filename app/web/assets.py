"""Static files: read once, bundled where a page needs several, compressed, served under a name with their hash."""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
import re
from dataclasses import dataclass
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from app import ROOT
from app.games import CURRENT

STATIC = ROOT / "static"

_SITE_CSS = ("tokens.css", "dice.css", "ui.css", "pages.css")
_SITE_JS = ("vendor/htmx-4.0.1.min.js", "vendor/hx-sse-4.0.1.min.js", "pointing.js", "knobel.js")
_SPRITES = ("icons.svg", "dice.svg")
_COMPRESSED = {".css", ".js", ".svg"}


@dataclass(frozen=True, slots=True)
class Asset:
    """One file as it is served. `url` has the hash of its content and may be kept for ever."""

    url: str
    body: bytes
    packed: bytes | None
    media_type: str


def _sprite(files: tuple[str, ...]) -> bytes:
    """Put the symbols of several sprites into one file; their ids differ."""
    inner = []
    for name in files:
        text = (STATIC / name).read_text(encoding="utf-8")
        inner.append(re.sub(r"^.*?<svg[^>]*>|</svg>\s*$", "", text, flags=re.DOTALL))
    return f'<svg xmlns="http://www.w3.org/2000/svg">{"".join(inner)}</svg>'.encode()


def _joined(files: tuple[str, ...]) -> bytes:
    return b"\n".join((STATIC / name).read_bytes() for name in files)


class Assets:
    """All static files of the site, by name and by address."""

    def __init__(self) -> None:
        self._by_name: dict[str, Asset] = {}
        self._by_url: dict[str, Asset] = {}
        for path in sorted(STATIC.rglob("*")):
            if path.is_file() and path.suffix not in {".txt", ".md"}:
                self._add(path.relative_to(STATIC).as_posix(), path.read_bytes())
        self._add("site.css", _joined((*_SITE_CSS, *(f"games/{slug.replace('-', '_')}.css" for slug in CURRENT))))
        self._add("site.js", _joined(_SITE_JS))
        self._add("sprite.svg", _sprite(_SPRITES))

    def _add(self, name: str, body: bytes) -> None:
        suffix = Path(name).suffix
        if suffix == ".css":
            body = self._with_hashed_urls(body)
        digest = hashlib.sha256(body).hexdigest()[:12]
        media_type = mimetypes.guess_type(name)[0] or "application/octet-stream"
        if suffix == ".woff2":
            media_type = "font/woff2"
        packed = gzip.compress(body, 9, mtime=0) if suffix in _COMPRESSED else None
        # fonts keep their plain name, which the style sheets know
        url = f"/static/{name}" if suffix == ".woff2" else f"/static/{digest}/{name}"
        asset = Asset(url, body, packed, media_type)
        self._by_name[name] = asset
        self._by_url[url] = asset

    def _with_hashed_urls(self, body: bytes) -> bytes:
        """Style sheets name files beside them; a bundle lies elsewhere, so names become addresses."""

        def address(found: re.Match[bytes]) -> bytes:
            name = found[1].decode()
            asset = self._by_name.get(name)
            if asset is None and (STATIC / name).is_file():
                self._add(name, (STATIC / name).read_bytes())
                asset = self._by_name[name]
            return found[0] if asset is None else f'url("{asset.url}")'.encode()

        return re.sub(rb"""url\(["']?(?:/static/|\.\./)*([\w./-]+)["']?\)""", address, body)

    def url(self, name: str) -> str:
        """Return the address of a file or bundle. Raises KeyError if there is none."""
        return self._by_name[name].url

    async def serve(self, request: Request) -> Response:
        """Answer a request below /static."""
        asset = self._by_url.get(request.url.path)
        if asset is None:
            return Response("not found", 404, media_type="text/plain")
        headers = {"Cache-Control": "public, max-age=31536000, immutable", "Vary": "Accept-Encoding"}
        if asset.packed is not None and "gzip" in request.headers.get("accept-encoding", ""):
            return Response(asset.packed, headers={**headers, "Content-Encoding": "gzip"}, media_type=asset.media_type)
        return Response(asset.body, headers=headers, media_type=asset.media_type)
