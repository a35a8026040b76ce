"""What every page has to be: usable by finger and reader, on screen, free of inline style."""

from __future__ import annotations

from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

NARROW = {"width": 320, "height": 568}

_PROBE = """() => {
  const shown = (e) => { const b = e.getBoundingClientRect(); return b.width && !e.closest('.skip, [aria-hidden], [inert]') && e.checkVisibility(); };
  const size = (e) => {
    const b = e.getBoundingClientRect(); let w = b.width, h = b.height;
    if (e.classList.contains('die')) { const t = getComputedStyle(e, '::before'); w = Math.max(w, parseFloat(t.width) || 0); h = Math.max(h, parseFloat(t.height) || 0); }
    return [w, h];
  };
  const inText = (e) => e.tagName === 'A' && e.parentElement.closest('p, dd, h3') && getComputedStyle(e).display === 'inline';
  const small = [...document.querySelectorAll('a, button, label.die, summary, input:not(.die__input):not([type=hidden]):not(.player__look)')]
    .filter((e) => shown(e) && !inText(e) && Math.min(...size(e)) < 43.5).map((e) => `${e.tagName} ${e.className} ${size(e).map(Math.round)}`);
  const act = document.querySelector('.dock .btn--main'), box = act && act.getBoundingClientRect();
  return {
    over: document.documentElement.scrollWidth > innerWidth, small: [...new Set(small)],
    reach: !box || (box.bottom <= innerHeight + 1 && box.top >= 0),
    styled: document.querySelectorAll('[style], style, script:not([src])').length,
    headings: document.querySelectorAll('h1').length,
  };
}"""


def faults(page: Page, where: str, *, touch: bool = True, with_axe: bool = True) -> list[str]:
    """What is wrong with a page as it stands; `touch` also wants targets of 44 px."""
    found: dict[str, Any] = page.evaluate(_PROBE)
    wrong = []
    if found["over"]:
        wrong.append(f"{where}: scrolls sideways")
    if found["small"] and touch:
        wrong.append(f"{where}: small targets {found['small']}")
    if not found["reach"]:
        wrong.append(f"{where}: the main action is not on screen")
    if found["styled"]:
        wrong.append(f"{where}: inline style or script")
    if found["headings"] != 1:
        wrong.append(f"{where}: {found['headings']} h1")
    if with_axe:
        wrong += [f"{where}: axe {line}" for line in axe(page)]
    return wrong


def axe(page: Page) -> list[str]:
    """What axe finds by WCAG 2.2 A and AA, of any weight."""
    tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
    results = Axe().run(page, options={"runOnly": tags})
    return [
        f"{found['id']} ({found['impact']}): {found['nodes'][0]['html'][:120]}"
        for found in results.response["violations"]
    ]
