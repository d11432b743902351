"""Write text in LaTeX so that it compiles and nothing vanishes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

_ESCAPED = str.maketrans({
    "−": "$-$", "+": "$+$", "<": "$<$", "=": "$=$", ">": "$>$", "|": "$|$", "±": r"$\pm$", "×": r"$\times$",
    "τ": r"$\tau$", "²": "$^2$",
    "≤": r"$\leq$", "≥": r"$\geq$", "→": r"$\rightarrow$", "←": r"$\leftarrow$", "…": r"\ldots{}",
    "–": "--", "\N{NO-BREAK SPACE}": "~", "\N{NARROW NO-BREAK SPACE}": r"\,",
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "`": r"\textasciigrave{}", '"': r"\textquotedbl{}",
    # BibTeX counts braces, also those after a backslash
    "{": r"\textbraceleft{}", "}": r"\textbraceright{}",
    "_": r"\_", "%": r"\%", "&": r"\&", "#": r"\#", "$": r"\$",
})  # fmt: skip

_LIGATURE = re.compile(r"(?<=-)(?=-)|(?<=,)(?=,)|(?<=')(?=')")
"""Between two signs of which LaTeX makes one."""

_DIRECTIONS = {"R": "R", "AL": "R", "NSM": "M"}
"""The kind of a letter or mark by its direction."""

_RIGHT_TO_LEFT = re.compile("R[RM]*(?: +R[RM]*)*")
"""Words of right-to-left scripts with their marks, by kinds."""

_NOT_IN_T1 = frozenset("ĈĉĊċĠġĤĥĦħĨĩĬĭĴĵĸĿŀŉŎŏŜŝŤŦŧŨũŬŭŴŵŶŷſ")

ENGINE = "% !TEX program = {}"
"""The comment that names the engine; editors read it."""

_BEYOND = "% Letters beyond Latin need this engine; in another paper, copy the fonts of main.tex, too."

LATIN = r"\usepackage[T1]{fontenc}"

FONTS = (
    "DejaVu Serif", "DejaVu Sans", "FreeSerif", "Noto Serif", "Noto Sans", "Noto Naskh Arabic", "Amiri",
    "Noto Serif Hebrew", "Noto Serif Devanagari", "Noto Sans Devanagari", "Noto Serif Tamil",
    "Noto Serif Bengali", "Noto Serif Telugu", "Noto Serif Georgian", "Noto Serif Armenian",
    "Noto Serif Ethiopic", "Noto Serif Thai", "Noto Serif CJK SC", "Noto Sans CJK SC", "FandolSong",
    "Source Han Serif SC", "WenQuanYi Zen Hei", "Droid Sans Fallback", "SimSun", "Arial Unicode MS",
)  # fmt: skip
"""The fonts that take over where the first has no letter, those that are installed, in this order."""

BEYOND_LATIN = r"""\usepackage{fontspec}
\directlua{fallback = {}}
% Arabic letters are joined only if the script is named
\newcommand{\addfallback}[1]{\IfFontExistsTF{#1}{\directlua{
  table.insert(fallback, "#1:mode=harf;script=arab;0x600-0x6FF")
  table.insert(fallback, "#1:mode=harf;")}}{}}
%FALLBACKS%
\directlua{luaotfload.add_fallback("beyondlatin", fallback)}
\setmainfont{Latin Modern Roman}[RawFeature={fallback=beyondlatin}]
\setmonofont{Latin Modern Mono}[RawFeature={fallback=beyondlatin}]
% A letter that no font has is an error, so that none vanishes: install a font with it, and add it above.
\tracinglostchars=3""".replace("%FALLBACKS%", "\n".join(rf"\addfallback{{{font}}}" for font in FONTS))


def escape_latex(text: str) -> str:
    r"""Return text for LaTeX.

    >>> print(escape_latex("50 % of a_b ~ c^2"))
    50 \% of a\_b \textasciitilde{} c\textasciicircum{}2
    """
    parts = _LIGATURE.split(unicodedata.normalize("NFC", text))
    return _turn_around("{}".join(part.translate(_ESCAPED) for part in parts))


def _turn_around(text: str) -> str:
    """Return escaped text in which words of right-to-left scripts say so, with the spaces between them.

    LuaTeX is told so word by word, because packages that find it out turn Latin letters around in tables.
    """
    kinds = "".join(
        " " if sign == " " else _DIRECTIONS.get(unicodedata.bidirectional(sign), ".") for sign in text
    )
    turned, end = "", 0
    for run in _RIGHT_TO_LEFT.finditer(kinds):
        turned += text[end : run.start()] + rf"{{\textdir TRT {text[run.start() : run.end()]}}}"
        end = run.end()
    return turned + text[end:]


def is_latin(text: str) -> bool:
    """Return whether every engine sets the letters of an escaped text: of Western and Central Europe."""
    return all(
        sign < "\N{NO-BREAK SPACE}" or sign in "“”‘’„«»¡¿§" or ("À" <= sign <= "ž" and sign not in _NOT_IN_T1)
        for sign in text
    )


def latex_files(files: Mapping[str, str], main: str) -> dict[str, str]:
    """Return files of LaTeX and `main.tex`, each with a first line that names the engine that compiles it.

    `files`: the parts, escaped; `main`: what compiles them, with ``%FONTS%`` where fonts are chosen.
    """
    are_latin = all(map(is_latin, (*files.values(), main)))
    first = ENGINE.format("pdflatex") if are_latin else f"{ENGINE.format('lualatex')}\n{_BEYOND}"
    named = {name: text if name.endswith(".bib") else f"{first}\n{text}" for name, text in files.items()}
    fonts = LATIN if are_latin else BEYOND_LATIN
    return {**named, "main.tex": f"{first}\n{main.replace('%FONTS%', fonts)}"}
