"""Reads an HTML report as a browser would, for tests."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = {"meta", "br"}


class Page(HTMLParser):
    """Tags with their attributes, and the text outside of the style sheet."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        assert len(attrs) == len(dict(attrs))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self._open:
            self.text += data

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attrs for name, attrs in self.tags if name == tag]


TAGS = frozenset({
    "html", "head", "meta", "title", "style", "body", "header", "main", "footer", "section", "div", "h1", "h2", "h3",
    "p", "span", "strong", "code", "a", "br", "dl", "dt", "dd", "ul", "ol", "li", "table", "thead", "tbody", "tr", "th",
    "td", "figure", "figcaption", "details", "summary", "svg", "desc", "text", "rect", "line", "path", "circle"})


def only_ours(page: Page) -> None:
    """No tag that our templates lack, no attribute that runs or loads something, no link that leads elsewhere."""
    assert {tag for tag, _ in page.tags} <= TAGS
    attributes = {name for _, attrs in page.tags for name in attrs}
    assert not {a for a in attributes if a.startswith("on") or a in ("src", "style", "srcset", "xlink:href")}
    assert all((a["href"] or "").startswith("#") for a in page.of("a"))
    assert len(page.of("style")) == 1 and len(page.of("title")) >= 1
