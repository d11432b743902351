"""Define the feature templates of every system as readable tables.

A template is a sum of up to three atoms, `S0.w+N0.p`; an atom is an address and an attribute.

Addresses of the systems that work from left to right: S0 S1 S2 (the stack from its top; Covington: the left
focus word and the words to its left), N0 N1 N2 (the buffer from its front), CL and CR (first and last word
between S0 and N0 whose head is not in the interval from S0 to N0). They may be followed by h (head), h2
(head's head), l, l2, r, r2 (outermost and second outermost dependent on the left and right), i and j
(innermost dependent on the left and right).

Addresses of easy-first: P and Q (the two neighbours in the list, left and right), A1 A2 (the items before
P), B1 B2 (those after Q), followed by l, l2, r, r2.

Addresses of an arc about to be added, for its label: H (head), D (dependent), Db and Da (the words before and
after D), Hs (the head's outermost dependent on D's side), Dl and Dr (D's outermost dependent on the left and
right). Each direction of an arc has separate features.

Attributes: w form, p tag, wp both, l label, vl and vr number of dependents on a side (valency), sl and sr set
of their labels; x XPOS, m lemma, f morphological features, p1 to p4 and s1 to s4 first and last one to four
characters of the form. `d` alone is the distance of S0 and N0 (P and Q).
"""

from __future__ import annotations

import re

ADDRESSES = (
    *("S0", "S1", "S2", "N0", "N1", "N2"),
    *("S0h", "S0h2", "S0l", "S0l2", "S0r", "S0r2", "N0l", "N0l2"),
    *("S1h", "S1l", "S1l2", "S1r", "S1r2"),
    *("S0i", "S0j", "N0i", "CL", "CR"),
)
"""The addresses in the order in which `features.fill_addresses` and `features.fill_between` write them."""

ZHANG_NIVRE_2011 = """
S0.wp  S0.w  S0.p  N0.wp  N0.w  N0.p  N1.wp  N1.w  N1.p  N2.wp  N2.w  N2.p
S0.wp+N0.wp  S0.wp+N0.w  S0.w+N0.wp  S0.wp+N0.p  S0.p+N0.wp  S0.w+N0.w  S0.p+N0.p  N0.p+N1.p
N0.p+N1.p+N2.p  S0.p+N0.p+N1.p  S0h.p+S0.p+N0.p  S0.p+S0l.p+N0.p  S0.p+S0r.p+N0.p  S0.p+N0.p+N0l.p
S0.w+d  S0.p+d  N0.w+d  N0.p+d  S0.w+N0.w+d  S0.p+N0.p+d
S0.w+S0.vr  S0.p+S0.vr  S0.w+S0.vl  S0.p+S0.vl  N0.w+N0.vl  N0.p+N0.vl
S0h.w  S0h.p  S0.l  S0l.w  S0l.p  S0l.l  S0r.w  S0r.p  S0r.l  N0l.w  N0l.p  N0l.l
S0h2.w  S0h2.p  S0h.l  S0l2.w  S0l2.p  S0l2.l  S0r2.w  S0r2.p  S0r2.l  N0l2.w  N0l2.p  N0l2.l
S0.p+S0l.p+S0l2.p  S0.p+S0r.p+S0r2.p  S0.p+S0h.p+S0h2.p  N0.p+N0l.p+N0l2.p
S0.w+S0.sr  S0.p+S0.sr  S0.w+S0.sl  S0.p+S0.sl  N0.w+N0.sl  N0.p+N0.sl
"""
"""Zhang & Nivre (2011), Tables 1 and 2, for arc-eager: 72 templates, 58 of them without labels."""

ARC_HYBRID = """
S0.wp  S0.w  S0.p  S1.wp  S1.w  S1.p  N0.wp  N0.w  N0.p  N1.wp  N1.w  N1.p  N2.wp  N2.w  N2.p
S0.wp+N0.wp  S0.wp+N0.w  S0.w+N0.wp  S0.wp+N0.p  S0.p+N0.wp  S0.w+N0.w  S0.p+N0.p  N0.p+N1.p
S1.wp+S0.wp  S1.wp+S0.w  S1.w+S0.wp  S1.wp+S0.p  S1.p+S0.wp  S1.w+S0.w  S1.p+S0.p
N0.p+N1.p+N2.p  S0.p+N0.p+N1.p  S1.p+S0.p+N0.p  S2.p+S1.p+S0.p  S1.p+S0.wp+N0.p
S0.p+S0l.p+N0.p  S0.p+S0r.p+N0.p  S0.p+N0.p+N0l.p
S1.p+S1l.p+S0.p  S1.p+S1r.p+S0.p  S1.p+S0.p+S0l.p  S1.p+S0.p+S0r.p
S0.w+d  S0.p+d  N0.w+d  N0.p+d  S0.w+N0.w+d  S0.p+N0.p+d
S0.w+S0.vr  S0.p+S0.vr  S0.w+S0.vl  S0.p+S0.vl  N0.w+N0.vl  N0.p+N0.vl
S1.w+S1.vr  S1.p+S1.vr  S1.w+S1.vl  S1.p+S1.vl
S0l.w  S0l.p  S0l.l  S0r.w  S0r.p  S0r.l  S1l.w  S1l.p  S1l.l  S1r.w  S1r.p  S1r.l  N0l.w  N0l.p  N0l.l
S0l2.w  S0l2.p  S0l2.l  S0r2.w  S0r2.p  S0r2.l  S1r2.w  S1r2.p  S1r2.l  N0l2.w  N0l2.p  N0l2.l
S0.p+S0l.p+S0l2.p  S0.p+S0r.p+S0r2.p  S1.p+S1r.p+S1r2.p  N0.p+N0l.p+N0l2.p
S0.w+S0.sr  S0.p+S0.sr  S0.w+S0.sl  S0.p+S0.sl  N0.w+N0.sl  N0.p+N0.sl  S1.p+S1.sr  S1.p+S1.sl
"""
"""The same adapted to arc-hybrid: S1 takes part in RIGHT; words on the stack have no head."""

ARC_STANDARD = """
S0.wp  S0.w  S0.p  S1.wp  S1.w  S1.p  S2.p  N0.wp  N0.w  N0.p  N1.wp  N1.w  N1.p  N2.w  N2.p
S1.wp+S0.wp  S1.wp+S0.w  S1.w+S0.wp  S1.wp+S0.p  S1.p+S0.wp  S1.w+S0.w  S1.p+S0.p
S0.wp+N0.p  S0.p+N0.wp  S0.w+N0.w  S0.p+N0.p  N0.p+N1.p
N0.p+N1.p+N2.p  S0.p+N0.p+N1.p  S1.p+S0.p+N0.p  S2.p+S1.p+S0.p  S1.p+S0.wp+N0.p  S1.wp+S0.p+N0.p
S1.p+S1l.p+S0.p  S1.p+S1r.p+S0.p  S1.p+S0.p+S0l.p  S1.p+S0.p+S0r.p
S0.w+d  S0.p+d  S0.p+N0.p+d
S0.w+S0.vr  S0.p+S0.vr  S0.w+S0.vl  S0.p+S0.vl  S1.w+S1.vr  S1.p+S1.vr  S1.w+S1.vl  S1.p+S1.vl
S0l.w  S0l.p  S0l.l  S0r.w  S0r.p  S0r.l  S1l.w  S1l.p  S1l.l  S1r.w  S1r.p  S1r.l
S0l2.w  S0l2.p  S0l2.l  S0r2.w  S0r2.p  S0r2.l  S1l2.w  S1l2.p  S1l2.l  S1r2.w  S1r2.p  S1r2.l
S0.p+S0l.p+S0l2.p  S0.p+S0r.p+S0r2.p  S1.p+S1l.p+S1l2.p  S1.p+S1r.p+S1r2.p
S0.w+S0.sr  S0.p+S0.sr  S0.w+S0.sl  S0.p+S0.sl  S1.w+S1.sr  S1.p+S1.sr  S1.w+S1.sl  S1.p+S1.sl
"""
"""The same adapted to arc-standard: arcs join S1 and S0; words in the buffer have no dependents."""

COVINGTON = """
S0.w  S0.p  S0.wp  S0.l  S0h.w  S0h.p  S0h.l  S0i.w  S0i.p  S0i.l  S0j.w  S0j.p  S0j.l
S0h2.w  S0h2.p  S0h2.l  S0l.w  S0l.p  S0l.l  S0r.w  S0r.p  S0r.l  S0.w+d  S0.p+d
S0.w+S0.vr  S0.p+S0.vr  S0.w+S0.vl  S0.p+S0.vl  S0.w+S0.sl  S0.p+S0.sl  S0.w+S0.sr  S0.p+S0.sr
S1.w  S1.p  S1.wp  N0.w  N0.p  N0.wp  N0i.w  N0i.p  N0i.l  N0l.w  N0l.p  N0l.l  N0.w+d  N0.p+d
N0.w+N0.vl  N0.p+N0.vl  N0.w+N0.sl  N0.p+N0.sl  N1.w  N1.p  N1.wp  N2.w  N2.p  N2.wp
CL.w  CL.p  CL.wp  CR.w  CR.p  CR.wp
S0.wp+N0.wp  S0.wp+N0.w  S0.w+N0.wp  S0.wp+N0.p  S0.p+N0.wp  S0.w+N0.w  S0.p+N0.p  N0.p+N1.p
S0.w+N0.w+d  S0.p+N0.p+d
N0.p+N1.p+N2.p  S0.p+N0.p+N1.p  S0h.p+S0.p+N0.p  S0.p+S0i.p+N0.p  S0.p+S0j.p+N0.p  S0.p+N0.p+N0i.p
S0.p+S0i.p+S0l.p  S0.p+S0j.p+S0r.p  S0.p+S0h.p+S0h2.p  N0.p+N0i.p+N0l.p
"""
"""Gómez-Rodríguez & Fernández-González (2015), Table 1: its L0 L1 R0 R1 R2 are S0 S1 N0 N1 N2 here, its
closest dependents l' and r' are i and j."""

EASY_FIRST = """
A2.p  A1.w  A1.p  A1.wp  P.w  P.p  P.wp  Q.w  Q.p  Q.wp  B1.w  B1.p  B1.wp  B2.p
P.p+P.vl  P.p+P.vr  Q.p+Q.vl  Q.p+Q.vr  P.w+P.vl  P.w+P.vr  Q.w+Q.vl  Q.w+Q.vr
A1.p+A1.vr  B1.p+B1.vl  A1.p+A1r.p  B1.p+B1l.p
P.w+Q.w  P.p+Q.p  P.w+Q.p  P.p+Q.w  P.wp+Q.wp  P.wp+Q.p  P.p+Q.wp  P.wp+Q.w  P.w+Q.wp
P.p+Q.p+d  P.w+Q.w+d  P.w+d  P.p+d  Q.w+d  Q.p+d
A1.p+P.p  A1.p+Q.p  P.p+B1.p  Q.p+B1.p  A1.w+P.w  P.w+B1.w  Q.w+B1.w  A1.w+Q.w
A1.w+P.p  A1.p+P.w  Q.w+B1.p  Q.p+B1.w  P.w+B1.p  P.p+B1.w
A1.p+P.p+Q.p  P.p+Q.p+B1.p  A2.p+A1.p+P.p  Q.p+B1.p+B2.p  A1.p+P.p+B1.p  A1.p+Q.p+B1.p
A1.p+P.p+Q.w  P.w+Q.p+B1.p  A1.p+P.w+Q.p  P.p+Q.w+B1.p
P.p+Q.p+Pl.p  P.p+Q.p+Pr.p  P.p+Q.p+Ql.p  P.p+Q.p+Qr.p  P.p+Q.w+Qr.w  P.w+Q.w+Qr.w  P.w+Q.w+Pr.w
P.p+Pl.p+Pl2.p  P.p+Pr.p+Pr2.p  Q.p+Ql.p+Ql2.p  Q.p+Qr.p+Qr2.p  P.p+Q.p+P.vr  P.p+Q.p+Q.vl  P.p+Q.p+Q.vr
Pl.w  Pl.p  Pl.l  Pr.w  Pr.p  Pr.l  Ql.w  Ql.p  Ql.l  Qr.w  Qr.p  Qr.l
P.p+P.sl  P.p+P.sr  Q.p+Q.sl  Q.p+Q.sr
"""
"""Modelled on Goldberg & Elhadad (2010): two neighbours, their surroundings, and their dependents so far."""

RICH = """
S0.x  N0.x  N1.x  S0.f  N0.f  N1.f  S0.m  N0.m  N1.m
S0.s1  S0.s2  S0.s3  S0.s4  N0.s1  N0.s2  N0.s3  N0.s4  N1.s2  N1.s3
S0.p1  S0.p2  S0.p3  S0.p4  N0.p1  N0.p2  N0.p3  N0.p4
S0.x+N0.x  S0.f+N0.f  S0.f+N0.p  S0.p+N0.f  S0.p+S0.f  N0.p+N0.f  S0.m+N0.m  S0.m+N0.p  S0.p+N0.m
S0.p+S0.f+N0.p  S0.p+N0.p+N0.f  S0.m+N0.f  S0.f+N0.m  N0.f+N1.f
S0.s2+N0.s2  S0.s3+N0.p  S0.p+N0.s3  S0.s2+N0.p  S0.p+N0.s2  S0.x+N0.x+d  S0.f+N0.f+d
S0h.f  S0l.f  S0r.f  N0l.f  S0h.m  S0l.m  S0r.m  N0l.m
"""
"""The templates that `rich` adds: XPOS, lemma, features and affixes of the words that an arc would join."""

FORM = """
S0.s2  S0.s3  N0.s2  N0.s3  N1.s3  S0r.s3  S0l.s3  N0l.s3  S0h.s3
S0.s2+N0.p  S0.p+N0.s2  S0.s3+N0.p  S0.p+N0.s3  S0.s2+N0.s2
S1.p  S1.p+S0.p  S1.p+N0.p  S1.p+S0.p+N0.p  S0.p+N0.p+N2.p
S0.p+N0.p+N0.s2  S0.p+S0.s2+N0.p  S0.p+N0.p+N1.s2  S0.s2+N0.p+N1.p
S0.w+N0.p+N1.p  S0.p+N0.w+N1.p  S0.p+N0.p+N1.w  S0.p+S0l.w+N0.p  S0.p+S0r.w+N0.p  S0.p+N0.p+N0l.w
"""
"""The templates that `form` adds: suffixes, triples of a form or suffix and two tags, the word below the
top."""

WITH_S1 = """
S1.x  S1.f  S1.m  S1.s2  S1.s3
S1.x+S0.x  S1.f+S0.f  S1.m+S0.m  S1.m+S0.p  S1.p+S0.m  S1.p+S0.f  S1.f+S0.p
"""
"""The templates that `rich` adds where S1 takes part in a transition."""

LABELS = """
H.w  H.s3  D.s2  D.s3  H.p+D.p  H.p+D.w  H.p+D.p+D.s1  H.p+D.p+Db.p  Db.p+D.p+Da.p
D.p+Dl.w  D.p+Dr.w  D.p+Dl.p  D.p+Dr.p  D.p+D.sl  Hs.w  Hs.l  H.p+H.sl
"""
"""The label templates of every system: the two words of an arc, the words beside D, and the dependents of D
and H so far. They were chosen on development sets, by removing and adding single templates."""

RICH_LABELS = """
D.x  D.f  D.m  H.f+D.f  H.m+D.p  Da.w  Dl.f  Dr.f
"""
"""The label templates that `rich` adds."""

FEATURE_SETS = {"zn11": LABELS, "form": LABELS, "rich": LABELS + RICH_LABELS}
"""The label templates of each feature set, by its name on the command line; each system has the templates of
its transitions."""

TAGS = ("gold", "xpos", "none", "only")
"""The content of the tag attribute `p`: UPOS as annotated, XPOS, or nothing; or only UPOS, also in place of
words, so that the parser is delexicalized."""

OF_EXPERIMENTS = "zn11"
"""The default feature set of experiments: the features of Wisniewski, Lacroix & Yvon (2018, section 4)."""


def feature_sets(table: str, more: str = "", **names: str) -> dict[str, str]:
    """Return the tables of a system, by the names of the feature sets.

    `form` drops the attribute wp, whose values are rare. Only `rich` adds the templates `more`. `names` are
    the system's addresses for those in `FORM` and `RICH`, where they differ.
    """
    form, rich = (re.sub(r"\w+(?=\.)", lambda a: names.get(a[0], a[0]), added) for added in (FORM, RICH))
    kept = (template for template in table.split() if ".wp" not in template)
    return {
        "zn11": table,
        "form": " ".join(dict.fromkeys((*kept, *form.split()))),
        "rich": table + rich + more,
    }
