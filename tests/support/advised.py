"""Commands that fail, parts of their messages, and what the messages say to type instead."""

from __future__ import annotations

from dataclasses import dataclass

QUICK = "--iterations 1 --seeds 1 --jobs 1 --quiet"
RUN = f"run --test-set --treebank ud/UD_Small --transform case {QUICK}"
TWO = f"run --test-set --treebank ud/UD_Small --transform case --transform det {QUICK}"
SUD = f"run --test-set --treebank ud/UD_Question --alternative sud {QUICK}"
FILE = "ud/UD_Small/xx-ud-dev.conllu"
TRAIN = "ud/UD_Small/xx-ud-train.conllu"
HISTORY = "history --ud-home rel --treebank UD_Small --dry-run"


@dataclass(frozen=True)
class Advice:
    """A command that fails, a part of its message, and what the message says to type instead."""

    command: str
    said: str
    followed: tuple[str, ...]


def advice(command: str, said: str, *followed: str) -> Advice:
    return Advice(command, said, followed)


ROWS = (
    # tags and labels that parsers read or learn
    advice(
        f"{RUN} --treebank ud/UD_Bare".replace("--treebank ud/UD_Small ", ""),
        "use --tags none",
        f"run --test-set --treebank ud/UD_Bare --transform case --tags none {QUICK}",
    ),
    advice(
        "parse -m plain.model bare.conllu",
        "train with --tags none",
        "train ud/UD_Bare/xx-ud-train.conllu -m new.model --iterations 1 --tags none",
    ),
    advice(
        f"run --test-set --treebank ud/UD_Small --transform upos:AUX=VERB --tags none {QUICK}",
        "use --tags gold",
        f"run --test-set --treebank ud/UD_Small --transform upos:AUX=VERB --tags gold {QUICK}",
    ),
    advice(
        f"run --test-set --treebank ud/UD_Small --transform xpos:IN=TO {QUICK}",
        "use --tags xpos",
        f"run --test-set --treebank ud/UD_Small --transform xpos:IN=TO --tags xpos {QUICK}",
    ),
    advice(
        f"run --test-set --treebank ud/UD_Small --transform deprel:obl=nmod {QUICK}",
        "use --labelled external, ",
        f"run --test-set --treebank ud/UD_Small --transform deprel:obl=nmod --labelled external {QUICK}",
    ),
    advice(
        "run --quick --treebank ud/UD_Small --transform upos:AUX=VERB",
        "compare it in a run",
        "run --treebank ud/UD_Small --transform upos:AUX=VERB --dry-run",
    ),
    advice(
        "combinations --treebank ud/UD_Small --transform deprel:obl=nmod",
        "here; use another annotation",
        "combinations --treebank ud/UD_Small --transform case --dry-run",
    ),
    advice(
        "run --test-set --treebank ud/UD_Small --transform case:upos=ADP --tags none --dry-run",
        "or use --tags gold",
        "run --test-set --treebank ud/UD_Small --transform case:upos=ADP --tags gold --dry-run",
    ),
    # heads that are not given
    advice(
        "train ud/UD_Unfinished/xx-ud-train.conllu -m new.model --iterations 1",
        "leave such sentences out with --skip-incomplete",
        "train ud/UD_Unfinished/xx-ud-train.conllu -m new.model --iterations 1 --skip-incomplete",
    ),
    # arcs that an annotation crosses
    advice(
        f"{SUD} --parser arc-eager:static",
        "; use --parser arc-eager, --parser covington, --parser graph:nonprojective, or --alternative with",
        f"{SUD} --parser arc-eager --out new",
        *(f"{SUD} --parser {parser} --dry-run" for parser in ("covington", "graph:nonprojective")),
        "transform --treebank ud/UD_Question --alternative sud --out crossing",
        f"{SUD.replace('sud', 'crossing/UD_Question@sud')} --parser arc-eager:static --out lifted",
    ),
    advice(
        f"{SUD} --parser arc-standard",
        "; use --parser covington, --parser graph:nonprojective, or --alternative with",
        f"{SUD} --parser graph:nonprojective --dry-run",
    ),
    advice(
        "train ud/UD_Question/xx-ud-train.conllu -m new.model --alternative sud --oracle static",
        "; use --oracle dynamic, --system covington, or the file",
        "train ud/UD_Question/xx-ud-train.conllu -m new.model --alternative sud --iterations 1 "
        "--oracle dynamic",
        "train ud/UD_Question/xx-ud-train.conllu -m new.model --alternative sud --iterations 1 "
        "--oracle static --system covington --labelled",
        "transform --alternative sud ud/UD_Question/xx-ud-train.conllu -o crossing.conllu",
        "train crossing.conllu -m new.model --iterations 1 --oracle static",
    ),
    # names of constructions and schemes
    advice(
        "run --test-set --treebank ud/UD_Small --transform function-heads",
        "use --alternative function-heads, or a construction",
        "run --test-set --treebank ud/UD_Small --alternative function-heads --dry-run",
        f"{RUN} --dry-run",
    ),
    advice(
        "combinations --treebank ud/UD_Small --transform function-heads",
        "not a construction; use a construction",
        "combinations --treebank ud/UD_Small --transform case --dry-run",
    ),
    advice(
        f"train {TRAIN} -m new.model --multiref function-heads",
        "not a construction; use a construction",
        f"train {TRAIN} -m new.model --multiref case --iterations 1",
    ),
    advice(
        f"train {TRAIN} -m new.model --multiref case+det",
        "several constructions; use one construction",
        f"train {TRAIN} -m new.model --multiref case --multiref det --iterations 1",
    ),
    advice(
        f"references {FILE} --alternative open-closed",
        "write its trees with `learnability transform`",
        f"transform --alternative open-closed {FILE}",
    ),
    advice(
        f"transform {FILE}",
        "use --transform NAME (repeatable) or --alternative SCHEME",
        f"transform --transform case --transform det {FILE}",
        f"transform --alternative function-heads {FILE}",
    ),
    advice(
        "run --test-set --treebank ud/UD_Yes --transform cop",
        "choose another treebank, --transform or --alternative",
        "run --test-set --treebank ud/UD_Small --transform cop --dry-run",
    ),
    # treebanks, releases and folds
    advice(
        "run",
        "use --treebank, or --train, --dev and --test files",
        "run --treebank ud/UD_Small --dry-run",
        f"run --test-set --train {TRAIN} --dev {FILE} --test ud/UD_Small/xx-ud-test.conllu --dry-run",
    ),
    advice(
        "run --all --ud-home against",
        "set --ud-home to a folder with UD_* folders",
        "run --all --ud-home ud --transform case --dry-run",
    ),
    advice("fetch --release 2.16", "name treebanks, write all, or list them with --list"),
    advice(
        "run --test-set --treebank demo --release 2.1",
        "name it without a release",
        "run --test-set --treebank demo --dry-run",
    ),
    advice(
        "run --test-set --treebank UD_Small --ud-home nowhere",
        "set --ud-home to a folder that holds treebanks",
        "run --test-set --treebank UD_Small --ud-home ud --dry-run",
    ),
    advice(
        "run --test-set --treebank UD_Small --ud-home rel --release 2.7",
        "choose another --release",
        "run --test-set --treebank UD_Small --ud-home rel --release 2.2 --dry-run",
    ),
    advice(
        "run --test-set --treebank rel/ud-2.1/UD_Small --release 2.2",
        "choose another path or --release",
        "run --test-set --treebank rel/ud-2.2/UD_Small --release 2.2 --dry-run",
        "run --test-set --treebank rel/ud-2.1/UD_Small --release 2.1 --dry-run",
    ),
    advice(
        "run --test-set --treebank ud/UD_Small --splits cut",
        "use no --splits, or --cross-validate 10 to test",
        "run --treebank ud/UD_Small --dry-run",
        "run --test-set --treebank ud/UD_Small --cross-validate 10 --dry-run",
    ),
    advice(
        "combinations --treebank ud/UD_Small --splits cut",
        "has no effect; use no --splits",
        "combinations --treebank ud/UD_Small --dry-run",
    ),
    advice(
        "run --test-set --treebank ud/UD_Small --splits cut --cross-validate 3",
        "leave out one of them",
        "run --test-set --treebank ud/UD_Small --cross-validate 3 --dry-run",
    ),
    advice(
        "run --test-set --treebank ud/UD_Train",
        "use --cross-validate 10, --splits cut, or --train, --dev and --test",
        "run --test-set --treebank ud/UD_Train --cross-validate 10 --dry-run",
        "run --test-set --treebank ud/UD_Train --splits cut --dry-run",
    ),
    advice(
        "combinations --treebank ud/UD_Test --splits dev",
        "use a treebank with a training and a test set, or --splits cut",
        "combinations --treebank ud/UD_Test --splits cut --dry-run",
    ),
    advice(
        f"run --test-set --train one.conllu --test {FILE}",
        "use --dev, or a larger file",
        f"run --test-set --train one.conllu --dev {FILE} --test {FILE} --dry-run",
    ),
    advice(
        "transform --transform case roots.conllu",
        "or allow it with --multiple-roots",
        "transform --transform case roots.conllu --multiple-roots",
    ),
    advice(
        "train roots.conllu -m new.model",
        "or allow it with --multiple-roots",
        "train roots.conllu -m new.model --multiple-roots --iterations 1",
    ),
    advice(
        "evaluate roots.conllu roots.conllu",
        "or allow it with --multiple-roots",
        "evaluate roots.conllu roots.conllu --multiple-roots",
    ),
    advice(
        "run --test-set --treebank ud/UD_Untrained",
        "use --cross-validate 10, --splits dev or cut, or --train",
        "run --test-set --treebank ud/UD_Untrained --splits dev --dry-run",
        "run --test-set --treebank ud/UD_Untrained --splits cut --dry-run",
    ),
    # two annotations
    advice(
        "run --test-set --treebank ud/UD_Small --alternative ''",
        "use the name of the alternative, or --treebank with a release",
        "run --test-set --treebank ud/UD_Small --alternative rel/ud-2.1/UD_Small --dry-run",
    ),
    advice(
        "run --test-set --treebank ud/UD_Small --alternative rel/ud-2.1/UD_Small --transform case",
        "--transform works with rules, not with a treebank as --alternative; start separate runs",
        f"{RUN} --dry-run",
    ),
    advice(
        "run --test-set --treebank ud/UD_Small --alternative rel/ud-2.1/UD_Small --alternative UD_Other",
        "--alternative rel/ud-2.1/UD_Small and --alternative UD_Other are two treebanks; compare them in "
        "separate runs",
        "run --test-set --treebank ud/UD_Small --alternative rel/ud-2.1/UD_Small --dry-run",
    ),
    advice(
        "run --test-set --treebank ud/UD_Small --alternative rel/ud-2.1/UD_Small --against case",
        "--against works with rules, not with a treebank as --alternative; start separate runs",
        "run --test-set --treebank ud/UD_Small --alternative function-heads --against case --dry-run",
    ),
    # versions
    advice(
        "history --releases 2.1,2.2", "no treebank is named; use --treebank", f"{HISTORY} --releases 2.1,2.2"
    ),
    advice(
        HISTORY,
        "needs either --releases, for example 2.4..2.16, or --commits",
        f"{HISTORY} --releases 2.1..2.2",
    ),
    advice(
        "history --treebank ud/UD_Small --releases 2.1,2.2",
        "set --treebank to the name and --ud-home to",
        f"{HISTORY} --releases 2.1,2.2",
    ),
    advice(
        f"{HISTORY} --releases 2.1,2.7",
        "get more with `learnability fetch`, or set --ud-home",
        "history --ud-home rel --treebank UD_Small --dry-run --releases 2.1,2.2",
    ),
    advice(
        f"{HISTORY} --releases 2.2..2.7",
        "get more with `learnability fetch`, or set --ud-home",
        "history --ud-home rel --treebank UD_Small --dry-run --releases 2.1..2.7",
    ),
    advice(f"{HISTORY} --releases 2.2,2.1", "name the oldest release first", f"{HISTORY} --releases 2.1,2.2"),
    advice(
        f"{HISTORY} --releases 2.1,2.2 --parser arc-eager --parser graph",
        "name one in --parser",
        f"{HISTORY} --releases 2.1,2.2 --parser graph",
    ),
    advice(
        f"{HISTORY} --releases 2.1,2.2 --labelled keep",
        "use --labelled external",
        f"{HISTORY} --releases 2.1,2.2 --labelled external",
    ),
    advice("history --treebank ud/UD_Small --commits a..b", "set --treebank to the folder of a checkout"),
    # studies
    advice(
        "run --quick --treebank ud/UD_Small --transform case --test-set",
        "use one of them",
        "run --quick --treebank ud/UD_Small --transform case --dry-run",
        "run --test-set --treebank ud/UD_Small --transform case --dry-run",
    ),
    advice(
        "run --quick --treebank ud/UD_Small --transform case --budget 1m",
        "leave out --quick, or these",
        "run --quick --treebank ud/UD_Small --transform case --dry-run",
        "run --treebank ud/UD_Small --transform case --budget 1m --dry-run",
    ),
    advice(
        "run --quick --treebank ud/UD_Small --transform case --cross-validate 3",
        "leave out --cross-validate",
        "run --quick --treebank ud/UD_Small --transform case --dry-run",
    ),
    advice(
        "run --all --ud-home ud --treebank UD_Small",
        "leave it out, or leave out --treebank",
        "run --ud-home ud --treebank UD_Small --dry-run",
        "run --all --ud-home ud --transform case --dry-run",
    ),
    advice(
        "run --resume --out done --transform det",
        "leave it out, or name the --treebank",
        "run --resume --out done --dry-run",
        f"{RUN} --out done --resume",
    ),
    advice(
        "combinations --treebank ud/UD_Small --transform mwe",
        "use others with --transform, or another treebank",
        "combinations --treebank ud/UD_Small --transform case --dry-run",
    ),
    advice(
        f"{RUN} --cross-validate 3 --out cv --budget 1m".replace(" --test-set", ""),
        "leave them out, and use more --seeds",
        f"{RUN} --cross-validate 3 --out cv --seeds 2 --resume".replace("--seeds 1 ", ""),
    ),
    advice(
        "run --resume --out settled --folds 5",
        "use --folds 3, or start another run",
        "run --resume --out settled --folds 3 --most-seeds 2 --quiet",
    ),
    advice(
        "combinations --treebank ud/UD_Small --transform upos:AUX=VERB",
        "moves no head; use --transform",
        "combinations --treebank ud/UD_Small --transform case --dry-run",
    ),
    advice(
        "run --test-set --treebank ud/UD_Small --parser fixed.toml --parser same.toml",
        "two of --parser are called fixed; rename one of them",
        "run --test-set --treebank ud/UD_Small --parser fixed.toml --dry-run",
    ),
    advice(
        "run --test-set --treebank ud/UD_Small --alternative odd.toml",
        "write [[transform]] (two brackets)",
        "run --test-set --treebank ud/UD_Small --alternative mine.toml --dry-run",
    ),
    # runs and their folders
    advice("report nothing", "name the --out folder of a finished run", "report done"),
    advice("run --resume --out nothing", "name a --treebank to start one", f"{RUN} --out new"),
    advice(
        "report unfinished",
        "first repeat the command that started it, with --resume",
        f"{RUN} --out unfinished --resume",
        "report unfinished",
    ),
    advice(
        f"{RUN} --out unfinished",
        "continue it with --resume, start anew with --force, or choose another --out",
        f"{RUN} --out unfinished --resume",
        f"{RUN} --out unfinished --force",
        f"{RUN} --out new",
    ),
    advice(f"{RUN} --out records", "choose another --out", f"{RUN} --out new"),
    advice(f"{RUN} --out one.conllu/x", "choose another --out", f"{RUN} --out new"),
    advice(
        f"{RUN} --out done --seeds 2".replace("--seeds 1 ", ""),
        "use --resume to add more, or another --out",
        f"{RUN} --out done --seeds 2 --resume".replace("--seeds 1 ", ""),
        f"{RUN} --out new",
    ),
    advice(
        f"{TWO} --out done",
        "use --force to replace it, or another --out",
        f"{TWO} --out done --force",
        f"{TWO} --out new",
    ),
    advice(
        f"{TWO} --out done --resume",
        "repeat the same command, start anew with --force, or choose another --out",
        f"{RUN} --out done",
        f"{TWO} --out done --force",
        f"{TWO} --out new",
    ),
    advice(
        f"run --test-set --treebank ud/UD_Small --alternative mine.toml {QUICK} --out scheme --resume",
        "restore its file, start anew with --force, or choose another --out",
        f"run --test-set --treebank ud/UD_Small --alternative mine.toml {QUICK} --out scheme --force",
        f"run --test-set --treebank ud/UD_Small --alternative mine.toml {QUICK} --out new",
    ),
    advice(
        f"run --test-set --treebank ud/UD_Changed --transform case {QUICK} --out changed --resume",
        "restore them, start anew with --force, or choose another --out",
        f"run --test-set --treebank ud/UD_Changed --transform case {QUICK} --out changed --force",
        f"run --test-set --treebank ud/UD_Changed --transform case {QUICK} --out new",
    ),
    advice(
        "run --resume --out changed",
        "restore them, start anew with --force, or choose another --out",
        f"run --test-set --treebank ud/UD_Changed --transform case {QUICK} --out changed --force",
    ),
    advice(
        "report lost", "or run the command again with --force", f"{RUN} --out lost --force", "report lost"
    ),
    advice(
        "compare mixed",
        "repeat the command that made it, with --force",
        f"{RUN} --out mixed --force",
        "compare mixed",
    ),
    advice("report torn", "remove the line and continue with ", f"{RUN} --out torn --force", "report torn"),
    advice(
        "report other",
        "remove its line from records.jsonl and continue with ",
        f"{RUN} --out other --force",
        "report other",
    ),
    advice(
        "report predicted --card card.md",
        "start one with `learnability run`",
        f"{RUN} --out new",
        "report new --card card.md",
    ),
    advice("report done --card card.json", "use a name such as card.md", "report done --card card.md"),
    advice(f"{RUN} --parser fixed.toml --out new", "leave out --iterations, or add {iterations} to train"),
    # parsers and files
    advice(
        f"parse -m plain.model --to-ud {FILE}",
        "train it with --transform or an --alternative of rules, or parse without --to-ud",
        f"train {TRAIN} -m new.model --iterations 1 --transform case",
        f"parse -m new.model --to-ud {FILE}",
        f"parse -m plain.model {FILE}",
    ),
    advice(
        f"train {TRAIN} -m new.model --multiref case --dev {FILE}",
        "use --iterations N",
        f"train {TRAIN} -m new.model --multiref case --iterations 1",
    ),
    advice(
        f"train {TRAIN} -m new.model --multiref case --oracle static",
        "only with --oracle dynamic",
        f"train {TRAIN} -m new.model --multiref case --oracle dynamic --iterations 1",
    ),
    advice(
        f"train {TRAIN} -m new.model --multiref case --alternative function-heads",
        "leave out --transform and --alternative",
        f"train {TRAIN} -m new.model --multiref case --iterations 1",
    ),
    advice(
        f"train {TRAIN} -m new.model --labels keep",
        "add --labelled and --transform or --alternative",
        f"train {TRAIN} -m new.model --labels keep --labelled --transform case --iterations 1",
        f"train {TRAIN} -m new.model --labels keep --labelled --alternative function-heads --iterations 1",
    ),
    advice(
        "transform --transform case recorded.conllu",
        "undo this with `learnability transform --invert`",
        "transform --transform case --invert recorded.conllu",
    ),
    advice(
        "transform --transform case --provenance noted.conllu",
        "undo it first with --invert, or remove it",
        "transform --transform case --invert noted.conllu",
    ),
    advice(
        "transform --transform case --treebank ud/UD_Small",
        "use --out DIR",
        "transform --transform case --treebank ud/UD_Small --out rewritten",
    ),
    advice(
        f"transform --transform case {FILE} --out x",
        "for a single file use -o",
        f"transform --transform case {FILE} -o x",
    ),
    advice(
        f"transform --transform case {FILE} --places --invert",
        "choose one of the two",
        f"transform --transform case {FILE} --places",
    ),
    advice(
        f"transform --transform case {FILE} --json",
        "only with --places, -o or --out",
        f"transform --transform case {FILE} --json --places",
        f"transform --transform case {FILE} --json -o x",
    ),
    advice(
        "transform --transform case --invert plain-case.conllu --provenance",
        "leave out --provenance and --labels external",
        "transform --transform case --invert plain-case.conllu",
    ),
    advice(
        f"references {FILE} --transform case --enumerate 3 --json",
        "leave out --json",
        f"references {FILE} --transform case --enumerate 3",
    ),
    advice(
        "show --transform case",
        "use either --treebank T or FILE",
        "show --transform case --treebank ud/UD_Small",
        f"show --transform case {FILE}",
    ),
    advice(
        f"show --transform case {FILE} --sent-id zzz",
        "or leave out --sent-id to draw",
        f"show --transform case {FILE}",
    ),
    advice(
        f"show --transform case {FILE} --out x.png",
        "use a file that ends in .html or .svg",
        f"show --transform case {FILE} --out x.html",
    ),
    advice("measure", "use either --treebank T or FILE", "measure --treebank ud/UD_Small", f"measure {FILE}"),
    advice(
        f"evaluate {FILE} {FILE} {FILE} --subtypes",
        "leave out the other file, or --subtypes",
        f"evaluate {FILE} {FILE} --subtypes",
        f"evaluate {FILE} {FILE} {FILE}",
    ),
    # where and how to compute
    advice(f"{RUN} --dry-run --json", "leave out --json", f"{RUN} --dry-run"),
    advice(f"{RUN} --resume --force", "choose one of the two", f"{RUN} --resume --dry-run"),
    advice(
        "measure --treebank ud/UD_Small --treebank ud/UD_Small",
        "use it once",
        "measure --treebank ud/UD_Small",
    ),
    advice(
        "run --test-set --treebank ud/UD_Small --treebank ud/UD_Small",
        "choose treebanks that differ in name or release",
        "run --treebank ud/UD_Small --dry-run",
    ),
    advice(
        "run --treebank ud/UD_Small --treebank rel/ud-2.1/UD_Small --train x",
        "use one --treebank, or none",
        f"run --treebank ud/UD_Small --train {TRAIN} --dry-run",
    ),
    advice(
        "run --all --ud-home empty",
        "set --ud-home to a folder with UD_* folders",
        "run --ud-home ud --treebank UD_Small --dry-run",
    ),
)
