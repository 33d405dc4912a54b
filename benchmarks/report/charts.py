"""Charts as small SVG files, written by hand: bars on a logarithmic scale, lines over sizes."""

import math
from collections.abc import Mapping, Sequence
from html import escape

_WIDTH, _LEFT, _RIGHT, _ROW, _TOP, _BOTTOM = 720, 130, 90, 24, 34, 220
_END = _WIDTH - _RIGHT
_STYLE = (
    "<style>text{font:13px system-ui,sans-serif;fill:#333}.t{font-weight:600}"
    ".b{fill:#8aa4bd}.m{fill:#d9662b}.g{stroke:#ddd}.l0{stroke:#d9662b}.l1{stroke:#3b6ea5}"
    ".l{fill:none;stroke-width:2}"
    "@media(prefers-color-scheme:dark){text{fill:#ddd}.g{stroke:#444}}</style>"
)


def _svg(height: int, title: str, parts: Sequence[str]) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img"'
        f' aria-label="{escape(title)}">'
    )
    named = f'<text class="t" x="8" y="20">{escape(title)}</text>'
    return "\n".join([head, _STYLE, named, *parts, "</svg>", ""])


def bar_chart(title: str, values: Sequence[tuple[str, float]], mine: str) -> str:
    """Draw one bar per name, logarithmic, so that the small ones can be seen too."""
    good = [(name, value) for name, value in values if value > 0]
    if not good:
        return _svg(_TOP, title, [])
    low = math.floor(math.log10(min(value for _, value in good)) - 0.01)
    high = max(math.log10(max(value for _, value in good)), low + 0.1)
    room, parts = _WIDTH - _LEFT - _RIGHT, []
    for place, (name, value) in enumerate(good):
        top = _TOP + place * _ROW
        wide = max(2.0, room * (math.log10(value) - low) / (high - low))
        colour = "m" if name == mine else "b"
        label = f"{value:,.0f}" if value >= 100 else f"{value:.3g}"  # noqa: PLR2004
        parts += [
            f'<text x="{_LEFT - 8}" y="{top + 14}" text-anchor="end">{escape(name)}</text>',
            f'<rect class="{colour}" x="{_LEFT}" y="{top}" width="{wide:.0f}" height="18"/>',
            f'<text x="{_LEFT + wide + 6:.0f}" y="{top + 14}">{label}</text>',
        ]
    return _svg(_TOP + len(good) * _ROW + 8, f"{title} (logarithmic)", parts)


def line_chart(title: str, lines: Mapping[str, Sequence[tuple[str, float]]]) -> str:
    """Draw values over the same sizes, from zero; a flat cost is a flat line."""
    top = max((value for line in lines.values() for _, value in line), default=0) or 1.0
    parts = [f'<line class="g" x1="{_LEFT}" y1="{_BOTTOM}" x2="{_END}" y2="{_BOTTOM}"/>']
    for index, (name, line) in enumerate(lines.items()):
        step = (_END - _LEFT) / max(len(line) - 1, 1)
        points = [
            (_LEFT + place * step, _BOTTOM - (_BOTTOM - 50) * value / top)
            for place, (_, value) in enumerate(line)
        ]
        others = [other for other_name, other in lines.items() if other_name != name]
        parts += _line(index, name, points)
        for place, ((x, y), (_, value)) in enumerate(zip(points, line, strict=True)):
            above = all(value >= other[place][1] for other in others)
            parts.append(_label(x, y + (-6 if above else 18), f"{value:.2f}"))
        if index == 0:
            parts += [
                _label(x, _BOTTOM + 18, size)
                for (x, _), (size, _) in zip(points, line, strict=True)
            ]
    return _svg(_BOTTOM + 40, title, parts)


def _line(index: int, name: str, points: Sequence[tuple[float, float]]) -> list[str]:
    """Draw a line and its legend."""
    drawn, y = " ".join(f"{x:.0f},{y:.0f}" for x, y in points), 56 + 18 * index
    return [
        f'<polyline class="l l{index}" points="{drawn}"/>',
        f'<text x="8" y="{y + 4}">{escape(name)}</text>',
        f'<line class="l l{index}" x1="84" y1="{y}" x2="110" y2="{y}"/>',
    ]


def _label(x: float, y: float, text: str) -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="middle">{escape(text)}</text>'
