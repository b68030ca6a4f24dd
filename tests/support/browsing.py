"""A real browser without a window, and what happens in it while a page is open."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
# No sandbox: tests may run as root in a container. The rest keeps the browser from calling home.
SWITCHES = (
    "--no-sandbox --disable-gpu --disable-background-networking --disable-component-update --disable-sync "
    "--no-first-run"
).split()


@dataclass
class Visit:
    """What happened while a page was open, and the page itself."""

    page: Any
    dialogs: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)

    def text(self) -> str:
        """All that the page says, the charts included."""
        return str(self.page.locator("body").text_content())

    def violations(self, rule: str | None = None, within: str | None = None) -> list[str]:
        """The rules of accessibility that the page, or a part of it, breaks, as axe sees them; or one rule alone."""
        from axe_playwright_python.sync_playwright import Axe

        options = None if rule is None else {"runOnly": [rule]}
        broken = Axe().run(self.page, within, options).response["violations"]
        return [f"{rule['id']}: {node['html']}" for rule in broken for node in rule["nodes"]]


Browse: TypeAlias = Callable[..., Any]


@contextmanager
def browsing() -> Iterator[Browse]:
    """Starts a browser; gives what opens a page in it until its scripts have drawn, or begun.

    ``with browse(path) as visit:`` opens a page.
    ``browse(address, awaited="h1", color_scheme="dark")`` waits for something else, in a browser with other settings.
    """
    place = next(filter(None, map(shutil.which, BROWSERS)), None)
    if place is None:
        pytest.skip("no browser is installed (Debian: apt-get install chromium)")
    pytest.importorskip("axe_playwright_python", reason="axe-playwright-python is not installed")
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=place, args=SWITCHES)

        @contextmanager
        def browse(
            place: Path | str, awaited: str = "figure svg.marks, .report .tools button:visible", **settings: Any
        ) -> Iterator[Visit]:
            with browser.new_context(**settings) as context:
                visit = Visit(context.new_page())
                visit.page.on("dialog", lambda dialog: (visit.dialogs.append(dialog.message), dialog.dismiss()))
                visit.page.on("request", lambda request: visit.requests.append(request.url))
                visit.page.on("console", lambda message: visit.said.append(message.text))
                visit.page.on("pageerror", lambda error: visit.said.append(str(error)))
                visit.page.goto(place.as_uri() if isinstance(place, Path) else place)
                visit.page.wait_for_selector(awaited)
                yield visit

        yield browse
        browser.close()
