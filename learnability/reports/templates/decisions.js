"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";
const ARCS = ["head", "punct", "subtype"];
/* Causes that are listed at first, and rows of the cause that is looked at. */
const FIRST = 50, ROWS = 12;
/* A longer sentence is drawn around the words that matter. */
const LONGEST = 22, AROUND = 4;
const COLUMNS = data.columns;
/* By what they are about; those about words that are not listed here also have the row that they came in. */
const decisions = new Map();
const before = [];
let filtered = [], at = 0, scores = [], listed = FIRST;
/* The row that was decided last, and the one that the note is typed for. */
let lastDecided = -1, noted = -1;

/* Rows are arrays in the order of `data.fields`; a negative number stands for a cause without rows. */
/* Whether words can be decided about; if not, the page is for looking. */
const decides = !byId("bar").hidden;
const FIELD = Object.fromEntries(data.fields.map((name, place) => [name, place]));
const value = (number, name) => data.rows[number][FIELD[name]];
const sentenceOf = (number) => data.sentences[value(number, "sentence")];
const causeOf = (item) => (item < 0 ? -1 - item : value(item, "cause"));
/* The row that is looked at; -1 if there is none. */
const current = () => (filtered.length && filtered[at] >= 0 ? filtered[at] : -1);
/* What a decision is about: an arc, or the value of another column, whatever the arc is. */
const isArc = (number) => ARCS.includes(value(number, "column"));
function keyFrom(read) {
  const column = read("column") || ARCS[0], arc = ARCS.includes(column) ? [read("head"), read("deprel")] : ["", ""];
  return [read("content") || read("pattern"), read("word"), ...arc, column, ARCS.includes(column) ? "" : read("value")].join("\t");
}
const keyOf = (number) => keyFrom((name) => (name === "content" ? sentenceOf(number).content : value(number, name)));
const keys = data.rows.map((_, number) => keyOf(number));
const numberOf = new Map(keys.map((key, number) => [key, number]));

function store() {
  try {
    localStorage.setItem(data.store, JSON.stringify([...decisions]));
  } catch {
    byId("message").textContent = "This browser does not keep the decisions. Save them before you close the page.";
  }
}

function restore() {
  try {
    for (const [key, decision] of JSON.parse(localStorage.getItem(data.store) ?? "[]")) {
      decisions.set(key, decision);
    }
  } catch { /* nothing is kept, or nothing that can be read */ }
}

function arcsOf(number) {
  const kept = decisions.get(keys[number]);
  if (kept?.arcs) return kept.arcs;
  const arcs = [[value(number, "word"), value(number, "proposed_head"), value(number, "proposed_deprel")]];
  const also = value(number, "also");
  return also ? [...arcs, also] : arcs;
}

/* The arcs of the second proposal; none if there is none, or if the arcs were edited. */
const secondOf = (number) => (decisions.get(keys[number])?.arcs ? [] : value(number, "second_arcs"));

function alternativesInWords(number) {
  const [second] = secondOf(number);
  return proposalInWords(number) + (second ? ` or ${inWords(second[1], second[2], sentenceOf(number))}` : "");
}

/* A form in a line of text: what runs from right to left does not turn the rest around. */
const isolated = (form) => (isRightToLeft(form) ? `\u2068${form}\u2069` : form);

const newValueOf = (number) => decisions.get(keys[number])?.value ?? value(number, "proposed_value");
const NAMES = { upos: "tag", xpos: "XPOS", lemma: "lemma" };
function valueInWords(number, text) {
  const column = value(number, "column"), name = NAMES[column] ?? column.replace(/^feats:/, "");
  return column in NAMES ? `${name} ${text || "_"}` : text ? `${name}=${text}` : `no ${name}`;
}

/* What is proposed, and what is annotated. */
function proposalInWords(number) {
  const [first] = arcsOf(number);
  return isArc(number) ? inWords(first[1], first[2], sentenceOf(number)) : valueInWords(number, newValueOf(number));
}

function annotationInWords(number) {
  return isArc(number) ? inWords(value(number, "head"), value(number, "deprel"), sentenceOf(number)) : valueInWords(number, value(number, "value"));
}

function inWords(head, deprel, sentence) {
  return head ? `${deprel} of ${isolated(sentence.forms[head - 1])} (${head})` : deprel;
}

/* The other half of a correction in words: `discourse, XPOS UH, no features`. */
const halfOf = (number) => decisions.get(keys[number])?.half ?? value(number, "other_half");
function halfInWords(text) {
  return text.split(" ").filter(Boolean).map((item) => {
    const [name, cell] = [item.slice(0, item.indexOf("=")), item.slice(item.indexOf("=") + 1)];
    if (name === "feats") return cell === "_" ? "no features" : cell.replaceAll("|", " ");
    return name === "xpos" ? `XPOS ${cell}` : name === "lemma" ? `lemma ${cell}` : cell;
  }).join(", ");
}

function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

function shape(name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, content] of Object.entries(attributes)) made.setAttribute(key, content);
  if (text !== undefined) made.textContent = text;
  return made;
}

/* Drawing: all annotated arcs above the words, the proposed ones below, as in the pages of reports. */
const pen = document.createElement("canvas").getContext("2d");
function widthOf(text, size) {
  pen.font = `${size}px system-ui, "Noto Sans", sans-serif`;
  return pen.measureText(text).width;
}

function levelsOf(arcs) {
  const order = arcs.map((_, i) => i).filter((i) => arcs[i].head).sort((i, j) => span(arcs[i]) - span(arcs[j]) || i - j);
  const levels = arcs.map(() => 0), placed = [];
  for (const i of order) {
    const low = Math.min(arcs[i].head, arcs[i].word), high = Math.max(arcs[i].head, arcs[i].word);
    levels[i] = 1 + Math.max(0, ...placed.filter((j) => Math.min(arcs[j].head, arcs[j].word) < high && low < Math.max(arcs[j].head, arcs[j].word)).map((j) => levels[j]));
    placed.push(i);
  }
  return levels;
}

const span = (arc) => Math.abs(arc.head - arc.word);
const isRightToLeft = (text) => (text.match(/[\u0590-\u08ff\ufb1d-\ufefc]/g) ?? []).length > text.length / 3;

/* Draw words from the first to the last: arcs above them, others below. */
function treeOf({ forms, tags = [], above, below = [], word, first = 1, last = forms.length, titles = [], label }) {
  const isInside = (arc) => [arc.word, arc.head || arc.word].every((place) => place >= first && place <= last);
  const drawn = [above, below].map((arcs) => arcs.filter(isInside));
  const labels = drawn.flat().reduce((widest, arc) => widest.set(arc.word, Math.max(widest.get(arc.word) ?? 0, widthOf(arc.label, 11) + 6)), new Map());
  const backwards = isRightToLeft(forms.join("")), centres = [];
  let end = 20;
  for (let i = 0; i <= last - first; i++) {
    const place = backwards ? last - i : first + i;
    const size = Math.max(widthOf(forms[place - 1], 15), widthOf(tags[place - 1] ?? "", 11), labels.get(place) ?? 0, 24);
    centres[place - 1] = end + size / 2;
    end += size + 16;
  }
  const width = Math.ceil(end + 10), heights = drawn.map((arcs) => Math.max(0, ...levelsOf(arcs)));
  const has = drawn.map((arcs) => arcs.length > 0), title = titles.length ? 28 : 0;
  const top = (has[0] ? 26 + 20 * heights[0] : 4) + title, height = top + (tags.length ? 44 : 28) + (has[1] ? 26 + 20 * heights[1] : 0) + (has[1] ? title : 0);
  const svg = shape("svg", { class: "tree", width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
  titles.forEach((text, i) => { if (has[i]) svg.append(shape("text", { class: "scheme", x: 4, y: i ? height - 4 : 13 }, text)); });
  drawArcs(svg, drawn[0], centres, top, -1, "base");
  drawArcs(svg, drawn[1], centres, top + (tags.length ? 44 : 28), 1, "alternative");
  for (let place = first; place <= last; place++) {
    const text = shape("text", { class: "word", x: centres[place - 1], y: top + 19, "data-word": place }, forms[place - 1]);
    if (place === word) text.style.fontWeight = 700;
    svg.append(text);
    if (tags[place - 1]) svg.append(shape("text", { class: "tag", x: centres[place - 1], y: top + 35 }, tags[place - 1]));
  }
  return [svg, centres[word - 1]];
}

/* Only arcs are drawn: of another column the sentence says enough. */
function draw(number, isWhole = false) {
  byId("drawing").hidden = !isArc(number);
  if (!isArc(number)) return;
  const sentence = sentenceOf(number), word = value(number, "word"), count = sentence.forms.length;
  const below = arcsOf(number).map(([dependent, head, label]) => ({ word: dependent, head, label, kind: "changed" }));
  const changed = new Set(below.map((arc) => arc.word));
  const above = sentence.heads.map((head, i) => ({ word: i + 1, head, label: sentence.deprels[i], kind: changed.has(i + 1) ? "changed" : "same" }));
  const near = [...below, ...above.filter((arc) => arc.kind === "changed")].flatMap((arc) => [arc.word, arc.head || arc.word]);
  const cuts = !isWhole && count > LONGEST;
  const [svg, centre] = treeOf({
    forms: sentence.forms, tags: sentence.tags, above, below, word, titles: data.sides,
    first: cuts ? Math.max(1, Math.min(...near) - AROUND) : 1, last: cuts ? Math.min(count, Math.max(...near) + AROUND) : count,
    label: `${byId("place").textContent} ${byId("arcs").textContent}`,
  });
  byId("drawing").replaceChildren(svg);
  byId("drawing").scrollLeft = centre - byId("drawing").clientWidth / 2;
}

/* The same word in other places, or words that show a convention. */
function showEvidence(item) {
  const own = item < 0 ? "" : `${sentenceOf(item).file}:${value(item, "line")}`;
  const numbers = [...data.causes[causeOf(item)].evidence, ...(item < 0 ? [] : value(item, "elsewhere"))];
  byId("evidence").replaceChildren(...numbers.map((number) => {
    const { title, words, query } = data.evidence[number], box = element("div");
    box.append(element("h3", title));
    const others = words.filter((each) => each.where !== own).slice(0, 2);
    if (words.length && !others.length) box.append(element("p", "This word only.", "where"));
    for (const shown of others) box.append(...shownWord(shown));
    if (query) box.append(element("p", "Grew-match: ", "where"), element("code", query));
    return box;
  }));
  for (const box of byId("evidence").querySelectorAll("[data-centre]")) box.scrollLeft = box.dataset.centre - box.clientWidth / 2;
}

function shownWord({ where, forms, word, head, deprel, other_head: otherHead, other_deprel: otherDeprel }) {
  const source = element("p", where, "where"), line = element("p");
  if (head < 0) {
    line.dir = "auto";
    line.append(...forms.flatMap((form, i) => [i + 1 === word ? element("mark", form) : form, " "]), deprel ? `(${deprel})` : "");
    return [source, line];
  }
  const box = element("div", undefined, "scroll");
  const below = otherHead < 0 ? [] : [{ word, head: otherHead, label: otherDeprel, kind: "changed" }];
  const [svg, centre] = treeOf({ forms, word, above: [{ word, head, label: deprel, kind: "changed" }], below, titles: below.length ? data.sides : [], label: `${where} ${forms[word - 1]} ${deprel} ${otherDeprel}` });
  box.tabIndex = 0;
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", where);
  box.append(svg);
  box.dataset.centre = centre;
  return [source, box];
}

function drawArcs(svg, arcs, centres, base, up, side) {
  const levels = levelsOf(arcs), start = base + up * (26 + 20 * Math.max(0, ...levels));
  const order = arcs.map((_, i) => i).sort((i, j) => (arcs[i].kind === "changed") - (arcs[j].kind === "changed"));
  for (const i of order) {
    const arc = arcs[i], tip = centres[arc.word - 1] + (arc.head ? Math.sign(centres[arc.head - 1] - centres[arc.word - 1]) * 5 : 0);
    const group = shape("g", { class: `${arc.kind} ${side}` });
    let path, x, y;
    if (!arc.head) {
      path = `M${tip} ${start}V${base}`;
      [x, y] = [tip, start + (up < 0 ? -4 : 12)];
    } else {
      const tail = centres[arc.head - 1] + Math.sign(tip - centres[arc.head - 1]) * 5;
      const ridge = base + up * (26 + 20 * (levels[i] - 1)), turn = Math.min(8, Math.abs(tip - tail) / 2), step = tip > tail ? turn : -turn;
      path = `M${tail} ${base}V${ridge - up * turn}Q${tail} ${ridge} ${tail + step} ${ridge}H${tip - step}Q${tip} ${ridge} ${tip} ${ridge - up * turn}V${base}`;
      [x, y] = [(tip + tail) / 2, ridge + 3.5];
    }
    group.append(shape("path", { d: path }), shape("path", { class: "tip", d: `M${tip} ${base}l-3.2 ${up * 6.5}h6.4z` }), shape("text", { x, y }, arc.label));
    svg.append(group);
  }
}

/* What is shown. */
function learned(number) {
  const now = (1 / (1 + Math.exp(-scores[number]))).toFixed(2);
  return !teaches || now === value(number, "score").toFixed(2) ? "" : ` → ${now} after your decisions`;
}

const count = (number) => number.toLocaleString("en");
const countNoun = (number, noun) => `${count(number)} ${noun}${number === 1 ? "" : "s"}`;
const decisionOf = (number) => decisions.get(keys[number])?.decision || "";
const reasonOf = (number) => value(number, "reason") || data.causes[causeOf(number)].title;
/* The key of a cause of which the page has not all rows, and how many of these are open. */
const wholeOf = (cause) => keyFrom((name) => (name === "pattern" ? data.causes[cause].pattern : ""));
const openRest = (cause) => (decisions.get(wholeOf(cause))?.decision || isFiltered() ? 0 : data.causes[cause].rest ?? 0);
const openRows = (cause) => filtered.filter((item) => item >= 0 && causeOf(item) === cause && !decisionOf(item));

function show() {
  at = Math.max(0, Math.min(at, filtered.length - 1));
  const number = current(), has = filtered.length > 0, sentence = number < 0 ? undefined : sentenceOf(number), decision = number < 0 ? undefined : decisions.get(keys[number]);
  for (const id of ["accept", "reject", "change", "later", "note"]) byId(id).disabled = number < 0;
  for (const id of ["previous", "next", "previous-cause", "next-cause"]) byId(id).disabled = !has;
  byId("undo").disabled = !before.length;
  byId("second").disabled = number < 0 || !value(number, "second_arcs").length;
  byId("both").disabled = number < 0 || !halfOf(number);
  byId("edit").hidden = true;
  byId("drawing").classList.remove("picks");
  showProgress();
  for (const id of ["arcs", "half", "breaks", "sentence", "drawing", "notes", "evidence", "place"]) byId(id).replaceChildren();
  byId("note").value = "";
  byId("note-label").textContent = "Note";
  showList();
  byId("whole").hidden = !has || (decides && data.causes[causeOf(filtered[at])].words + (data.causes[causeOf(filtered[at])].rest ?? 0) < 2);
  if (!has) {
    byId("reason").textContent = "No row fits the filters.";
    return;
  }
  const cause = causeOf(filtered[at]), open = openRows(cause).length + openRest(cause);
  byId("notes").replaceChildren(...data.causes[cause].notes.map((text) => element("p", text)));
  for (const [id, word] of [["accept-all", "Accept"], ["reject-all", "Reject"]]) {
    byId(id).hidden = !decides;
    const some = id === "accept-all" ? acceptableRows(cause).length + openRest(cause) : open;
    const why = openRows(cause).every((row) => value(row, "would_break")) ? "all would break a rule" : "decide about each";
    byId(id).disabled = !some;
    byId(id).querySelector("span").textContent = some === open ? `${word} all ${count(open)}` : `${word} ${count(some)} of ${count(open)}${some ? "" : `: ${why}`}`;
  }
  showEvidence(filtered[at]);
  byId("reason").textContent = number < 0 ? data.causes[cause].title : reasonOf(number);
  if (number < 0) {
    if (decides && !data.causes[cause].rest) byId("arcs").textContent = "The page has no proposal for its words.";
    return;
  }
  byId("place").textContent = [
    `${sentence.file}:${value(number, "line")}`, sentence.sent_id, value(number, "score") ? `score ${value(number, "score").toFixed(2)}${learned(number)}` : "", value(number, "pattern"),
    value(number, "validator") && `validator: ${value(number, "validator")}`, decision?.decision,
  ].filter(Boolean).join(" · ");
  const [first, also] = arcsOf(number);
  byId("half").textContent = halfOf(number) ? `${decision?.half ? "With it" : "And then"} ${halfInWords(halfOf(number))}${decision?.half ? "." : "?"}` : "";
  byId("breaks").textContent = value(number, "would_break") ? `The proposal alone would break ${value(number, "would_break")}.` : "";
  byId("arcs").replaceChildren(
    element("b", sentence.forms[value(number, "word") - 1]), ": ",
    element("span", alternativesInWords(number), "alternative"), ", not ", element("span", annotationInWords(number), "base"),
    decision?.upos ? `, as ${decision.upos}, not ${sentence.tags[value(number, "word") - 1]}` : "",
    also ? `; with it ${sentence.forms[also[0] - 1]} as ${inWords(also[1], also[2], sentence)}` : "",
  );
  const parts = sentence.forms.flatMap((form, i) => {
    const isWord = i + 1 === value(number, "word"), isHead = isArc(number) && i + 1 === value(number, "head"), isNew = isArc(number) && i + 1 === first[1];
    return [isWord || isHead || isNew ? element("mark", form, isWord ? "" : isNew ? "alternative" : "base") : form, " "];
  });
  byId("sentence").replaceChildren(...parts);
  byId("note").value = decision?.note ?? "";
  byId("note-label").replaceChildren("Note on ", element("b", isolated(sentence.forms[value(number, "word") - 1])));
  draw(number);
}

function showProgress() {
  const made = keys.map((key) => decisions.get(key)?.decision).filter(Boolean);
  const accepted = made.filter((decision) => decision === "accept").length, rows = data.rows.length;
  const fitting = filtered.filter((item) => item >= 0).length;
  const some = fitting === rows ? "" : ` ${count(fitting)} fit the filters.`;
  byId("progress").textContent = `${count(made.length)} of ${count(rows)} decided, ${count(accepted)} accepted, ${count(rows - made.length)} left.${some}`;
  byId("done").max = Math.max(1, rows);
  byId("done").value = made.length;
}

/* The causes in order, and the rows of the one that is looked at. */
function showList() {
  const places = new Map();
  filtered.forEach((item, place) => {
    if (!places.has(causeOf(item))) places.set(causeOf(item), []);
    places.get(causeOf(item)).push(place);
  });
  const causes = [...places.keys()], now = filtered.length ? causeOf(filtered[at]) : -1;
  listed = Math.max(listed, FIRST * Math.ceil((causes.indexOf(now) + 1) / FIRST));
  byId("list").replaceChildren(...causes.slice(0, listed).map((cause) => causeItem(cause, places.get(cause), cause === now)));
  byId("more").hidden = causes.length <= listed;
  byId("more").textContent = `${count(causes.length - listed)} more`;
  const chosen = byId("list").querySelector("[aria-current]"), panel = byId("causes");
  if (chosen) panel.scrollTop = chosen.offsetTop - panel.offsetTop - panel.clientHeight / 3;
}

function causeItem(cause, places, isNow) {
  const item = element("li"), rows = places.map((place) => filtered[place]).filter((number) => number >= 0);
  const done = rows.filter(decisionOf).length, isDone = (rows.length || data.causes[cause].rest) && done === rows.length && !openRest(cause);
  const button = element("button", undefined, `cause${isDone ? " decided" : ""}`);
  button.type = "button";
  if (rows.length) {
    const [first] = rows, form = sentenceOf(first).forms[value(first, "word") - 1];
    const change = element("span", undefined, "change"), words = rows.length > 1 ? ` (${done ? `${count(done)} of ` : ""}${count(rows.length)} words)` : decisionOf(first) ? ` – ${decisionOf(first)}` : "";
    change.append(element("b", isolated(form)), ": ", alternativesInWords(first), ", not ", annotationInWords(first), words);
    button.append(element("span", data.causes[cause].title, "why"), change);
  } else button.append(element("span", data.causes[cause].title, "why"));
  button.addEventListener("click", () => { at = places.find((place) => filtered[place] < 0 || !decisionOf(filtered[place])) ?? places[0]; show(); });
  if (isNow) button.setAttribute("aria-current", "true");
  item.append(button);
  if (isNow && rows.length > 1) {
    const start = Math.max(0, Math.min(places.indexOf(at) - ROWS / 2, places.length - ROWS));
    const inner = element("ol");
    inner.append(...places.slice(start, start + ROWS).map(rowItem));
    if (places.length > ROWS) inner.append(element("li", `${count(start + 1)} to ${count(Math.min(start + ROWS, places.length))} of ${count(places.length)}`, "where"));
    item.append(inner);
  }
  return item;
}

function rowItem(place) {
  const number = filtered[place], sentence = sentenceOf(number), word = value(number, "word"), item = element("li");
  const before = sentence.forms.slice(Math.max(0, word - 3), word - 1).join(" "), after = sentence.forms.slice(word, word + 2).join(" ");
  const button = element("button", undefined, decisionOf(number) ? "decided" : "");
  button.type = "button";
  button.append(`${before} `, element("b", sentence.forms[word - 1]), ` ${after}`, decisionOf(number) ? ` – ${decisionOf(number)}` : "");
  button.addEventListener("click", () => { at = place; show(); });
  if (place === at) button.setAttribute("aria-current", "true");
  item.append(button);
  return item;
}

byId("more").addEventListener("click", () => { listed += FIRST; showList(); });

/* What decisions teach, where `data.learning` says how: a logistic regression on the traits of rows
 * (learnability/extensions/doubts/learning.py says what it does). */
const teaches = Boolean(data.learning.spreads);
function featuresOf([logit, traits]) {
  return { logit, features: [0, 1, ...traits.map((trait) => trait + 2)], values: [1, logit - data.learning.centre, ...traits.map(() => 1)] };
}

function learn(lessons) {
  const { bias, slope, spreads, rounds, negligible, longest_step } = data.learning;
  const precisions = [bias, slope, ...spreads].map((spread) => 1 / spread ** 2);
  const logits = Float64Array.from(lessons, ([doubt]) => doubt.logit), wrong = Float64Array.from(lessons, ([, isWrong]) => isWrong);
  const withFeature = precisions.map(() => ({ places: [], values: [] })), weights = new Float64Array(precisions.length);
  lessons.forEach(([doubt], place) => doubt.features.forEach((feature, i) => {
    withFeature[feature].places.push(place);
    withFeature[feature].values.push(doubt.values[i]);
  }));
  const order = [...weights.keys()].filter((feature) => withFeature[feature].places.length);
  for (let round = 0; round < rounds; round++) {
    let farthest = 0;
    for (const feature of order) {
      const { places, values } = withFeature[feature];
      let gradient = -weights[feature] * precisions[feature], curvature = precisions[feature];
      for (let i = 0; i < places.length; i++) {
        const probability = 1 / (1 + Math.exp(-logits[places[i]]));
        gradient += values[i] * (wrong[places[i]] - probability);
        curvature += values[i] * values[i] * probability * (1 - probability);
      }
      const step = Math.min(Math.max(gradient / curvature, -longest_step), longest_step);
      weights[feature] += step;
      for (let i = 0; i < places.length; i++) logits[places[i]] += step * values[i];
      farthest = Math.max(farthest, Math.abs(step));
    }
    if (farthest < negligible) break;
  }
  return weights;
}

const earlier = teaches ? data.learning.lessons.map(([doubt, isWrong]) => [featuresOf(doubt), isWrong ? 1 : 0]) : [];
const seen = teaches ? data.rows.map((_, number) => {
  const score = Math.min(Math.max(value(number, "score"), data.learning.least), 1 - data.learning.least);
  return featuresOf([Math.log(score / (1 - score)), value(number, "traits")]);
}) : [];

function relearn() {
  if (!teaches) return;
  const lessons = [...earlier];
  seen.forEach((doubt, number) => {
    const decision = decisions.get(keys[number])?.decision;
    if (value(number, "score") && (decision === "accept" || decision === "reject")) lessons.push([doubt, decision === "accept" ? 1 : 0]);
  });
  const weights = learn(lessons), digits = 10 ** data.learning.decimals;
  scores = seen.map(({ logit, features, values }) => {
    let total = logit;
    for (let i = 0; i < features.length; i++) total += weights[features[i]] * values[i];
    return Math.round(total * digits) / digits;
  });
}

/* The most doubtful first, those that are equal in the order of the list. */
const byScore = (numbers) => numbers.sort((a, b) => scores[b] - scores[a] || value(a, "rank") - value(b, "rank"));

/* The rows cause by cause, the cause of the most doubtful row first. */
function arrange(items) {
  const rows = teaches ? byScore(items) : items, groups = new Map();
  for (const item of rows) {
    if (!groups.has(causeOf(item))) groups.set(causeOf(item), []);
    groups.get(causeOf(item)).push(item);
  }
  return [...groups.values()].flat();
}

/* What was decided stays where it is, and so does the rest of its cause; what follows comes in its new order. */
function reorder() {
  relearn();
  if (!filtered.length) return;
  const cause = causeOf(filtered[at]), rest = filtered.slice(at + 1), isSame = (item) => causeOf(item) === cause;
  filtered = [...filtered.slice(0, at + 1), ...rest.filter(isSame), ...arrange(rest.filter((item) => !isSame(item)))];
}

/* Go to the next row that is open, or else to the next one. */
function goOn() {
  const next = filtered.findIndex((item, place) => place > at && (item < 0 || !decisionOf(item)));
  if (next > 0) at = next;
  else if (at < filtered.length - 1) at++;
}

/* The open rows that are accepted together. What would bring an error is not accepted unseen; of copies of a sentence only the one that is looked at changes. */
function acceptableRows(cause) {
  const open = openRows(cause), from = current() < 0 ? open[0] : current();
  const isOtherCopy = (number) => value(number, "reason")?.startsWith("the same sentence") && value(number, "sentence") !== value(from, "sentence");
  return open.filter((number) => !(value(number, "would_break") || isOtherCopy(number)));
}

/* Decide about all open rows of a cause. */
function decideAll(decision) {
  if (!filtered.length) return;
  const cause = causeOf(filtered[at]), { pattern } = data.causes[cause], whole = wholeOf(cause), rest = openRest(cause);
  const open = openRows(cause), rows = decision === "reject" ? open : acceptableRows(cause);
  if (!rows.length && !rest) {
    if (open.length) byId("last").textContent = `${byId("accept-all").querySelector("span").textContent}.`;
    return;
  }
  before.push([...rows.map((number) => keys[number]), ...(rest ? [whole] : [])].map((key) => [key, decisions.get(key)]));
  if (rest) decisions.set(whole, { decision, row: { pattern, file: data.file } });
  for (const number of rows) {
    const { note, upos } = decisions.get(keys[number]) ?? {};
    decisions.set(keys[number], decision === "reject" ? { note, decision } : { note, upos, decision, arcs: arcsOf(number), value: isArc(number) ? undefined : newValueOf(number) });
  }
  store();
  reorder();
  goOn();
  show();
  const left = open.length - rows.length;
  byId("last").replaceChildren(`${countNoun(rows.length + rest, "word")}: ${decision}. ${left ? `${count(left)} would break a rule or are in the other copy; decide about each. ` : ""}`, element("kbd", "u"), " takes it back.");
}

function moveCause(step) {
  if (!filtered.length) return;
  const cause = causeOf(filtered[at]);
  let place = at;
  while (place >= 0 && place < filtered.length && causeOf(filtered[place]) === cause) place += step;
  if (place < 0 || place >= filtered.length) return;
  at = filtered.findIndex((item) => causeOf(item) === causeOf(filtered[place]));
  show();
}

/* What is decided. */
function decide(decision, { arcs, upos, value: newValue, half } = {}) {
  const number = current();
  if (number < 0) return;
  const key = keys[number], kept = decisions.get(key) ?? {};
  const made = decision !== "accept" ? { note: kept.note, decision } : {
    ...kept, decision, arcs: arcs ?? arcsOf(number), upos: upos ?? kept.upos, half,
    value: isArc(number) ? undefined : newValue ?? newValueOf(number),
  };
  before.push([[key, decisions.get(key)]]);
  decisions.set(key, made);
  lastDecided = number;
  store();
  reorder();
  goOn();
  show();
  const form = isolated(sentenceOf(number).forms[value(number, "word") - 1]);
  byId("last").replaceChildren(element("b", form), `: ${decision}${half ? ` with ${halfInWords(half)}` : ""}. `, element("kbd", "m"), " writes a note on it, ", element("kbd", "u"), " takes it back.");
}

function acceptSecond() {
  const arcs = current() < 0 ? [] : value(current(), "second_arcs");
  if (arcs.length) decide("accept", { arcs });
}

function acceptBoth() {
  const half = current() < 0 ? "" : halfOf(current());
  if (half) decide("accept", { half });
}

function undo() {
  if (!before.length) return;
  const taken = before.pop();
  for (const [key, kept] of taken) {
    if (kept) decisions.set(key, kept);
    else decisions.delete(key);
  }
  store();
  const place = filtered.indexOf(numberOf.get(taken[0][0]));
  if (place >= 0) at = place;
  reorder();
  show();
  byId("last").textContent = "Taken back.";
}

function move(step) {
  at += step;
  show();
}

function edit() {
  const number = current();
  if (number < 0) return;
  const sentence = sentenceOf(number), [first] = arcsOf(number);
  const heads = [element("option", "0 root"), ...sentence.forms.map((form, i) => element("option", `${i + 1} ${form}`))];
  heads.forEach((option, i) => { option.value = i; option.disabled = i === value(number, "word"); });
  byId("edit-head").replaceChildren(...heads);
  byId("edit-head").value = first[1];
  byId("edit-deprel").value = first[2];
  byId("edit-upos").value = decisions.get(keys[number])?.upos || sentence.tags[value(number, "word") - 1];
  byId("edit-value").value = newValueOf(number);
  byId("edit-half").value = halfOf(number);
  for (const label of byId("edit").querySelectorAll("label, p")) label.hidden = !label.classList.contains("half") && label.classList.contains("value") === isArc(number);
  byId("edit").hidden = false;
  draw(number, true);
  byId("drawing").classList.toggle("picks", isArc(number));
  byId(isArc(number) ? "edit-deprel" : "edit-value").focus();
}

byId("edit").addEventListener("submit", (event) => {
  event.preventDefault();
  const head = Number(byId("edit-head").value), deprel = byId("edit-deprel").value.trim();
  const number = filtered[at], [first, also] = arcsOf(number), half = byId("edit-half").value.trim() || undefined;
  if (!isArc(number)) {
    document.activeElement.blur();
    decide("accept", { value: byId("edit-value").value.trim(), half });
    return;
  }
  if (!deprel) return;
  const arcs = [[value(number, "word"), head, deprel]];
  document.activeElement.blur();
  const upos = byId("edit-upos").value.trim();
  decide("accept", { arcs: also && head === first[1] ? [...arcs, also] : arcs, upos: upos === sentenceOf(number).tags[value(number, "word") - 1] ? "" : upos, half });
});
byId("drawing").addEventListener("click", (event) => {
  const word = event.target.dataset?.word;
  if (!byId("edit").hidden && word && Number(word) !== value(filtered[at], "word")) byId("edit-head").value = word;
});
/* A note belongs to the doubt that was there when it was begun. */
function writeNote(number) {
  if (number < 0) return;
  noted = number;
  byId("note").value = decisions.get(keys[number])?.note ?? "";
  byId("note-label").replaceChildren("Note on ", element("b", isolated(sentenceOf(number).forms[value(number, "word") - 1])));
  byId("note").focus();
}
byId("note").addEventListener("focus", () => { if (noted < 0) noted = current(); });
byId("note").addEventListener("blur", () => {
  if (noted < 0) return;
  const key = keys[noted], note = byId("note").value, kept = decisions.get(key);
  noted = -1;
  if (note !== (kept?.note ?? "")) {
    decisions.set(key, { decision: "", ...kept, note });
    store();
  }
  show();
});

const COMMANDS = { a: () => decide("accept"), b: acceptBoth, s: acceptSecond, r: () => decide("reject"), l: () => decide("later"), e: edit, u: undo, j: () => move(1), k: () => move(-1), ArrowDown: () => move(1), ArrowUp: () => move(-1), A: () => decideAll("accept"), R: () => decideAll("reject"), J: () => moveCause(1), K: () => moveCause(-1), n: () => writeNote(current()), m: () => writeNote(lastDecided), w: save };
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target.closest?.("input, select, textarea");
  if (typing) {
    if (event.key === "Escape" || (event.key === "Enter" && event.target.id === "note")) event.target.blur();
    return;
  }
  const command = COMMANDS[event.key];
  if (!command) return;
  event.preventDefault();
  command();
});
for (const [id, command] of Object.entries({ accept: COMMANDS.a, second: acceptSecond, both: acceptBoth, reject: COMMANDS.r, change: edit, later: COMMANDS.l, undo, previous: COMMANDS.k, next: COMMANDS.j, "accept-all": COMMANDS.A, "reject-all": COMMANDS.R, "previous-cause": COMMANDS.K, "next-cause": COMMANDS.J })) {
  byId(id).addEventListener("click", command);
}

/* Filters. */
const FILTERS = ["by-decision", "by-pattern", "by-deprel", "by-lemma", "by-file", "by-score", "by-validator", "by-column"];
const isFiltered = () => FILTERS.some((id) => byId(id).value.trim());
function changedColumns(number) {
  if (!["head", "punct"].includes(value(number, "column"))) return value(number, "column");
  const changed = ["head", "deprel"].filter((name) => value(number, name) !== value(number, `proposed_${name}`));
  return changed.length > 1 ? "both" : changed[0];
}

function filter() {
  const [decision, pattern, deprel, lemma, file, score, validator, column] = FILTERS.map((id) => byId(id).value.trim());
  const least = Number(score) || 0, sought = lemma.toLowerCase();
  const fitting = data.rows.map((_, number) => number).filter((number) => {
    const sentence = sentenceOf(number), word = value(number, "word"), made = decisions.get(keys[number])?.decision || "open";
    return (!decision || made === decision) && (!pattern || value(number, "pattern").includes(pattern)) &&
      (!deprel || value(number, "deprel") === deprel || value(number, "proposed_deprel") === deprel) &&
      (!sought || value(number, "lemma").toLowerCase() === sought || sentence.forms[word - 1].toLowerCase() === sought) &&
      (!file || sentence.file === file) && value(number, "score") >= least &&
      (!validator || Boolean(value(number, "validator")) === (validator === "finds")) && (!column || changedColumns(number) === column);
  });
  const isEmpty = ({ words, title }) => !words && (decides || title.toLowerCase().includes(pattern.toLowerCase()));
  const empty = isFiltered() && decides ? [] : data.causes.map((_, cause) => -1 - cause).filter((item) => isEmpty(data.causes[causeOf(item)]));
  const open = new Set(fitting.filter((number) => !decisionOf(number)).map(causeOf));
  const done = fitting.filter((number) => !open.has(causeOf(number)));
  filtered = [...arrange(done), ...arrange([...fitting.filter((number) => open.has(causeOf(number))), ...empty].sort((a, b) => causeOf(a) - causeOf(b) || a - b))];
  const first = filtered.findIndex((item) => item >= 0 && !decisionOf(item));
  at = first >= 0 ? first : Math.max(0, filtered.findIndex((item) => item < 0));
  show();
}
for (const id of FILTERS) byId(id).addEventListener("change", filter);
byId("clear").addEventListener("click", () => {
  for (const id of FILTERS) byId(id).value = "";
  filter();
});

/* The file of decisions: the columns of doubts.csv, with what is decided, and the folder of the page. */
const RUN = location.protocol === "file:" ? decodeURIComponent(location.pathname).replace(/\/[^/]*$/, "").replace(/^\/(?=[A-Za-z]:)/, "") : "";
function cell(text) {
  const whole = String(text ?? "");
  return /[",\n\r]/.test(whole) ? `"${whole.replaceAll('"', '""')}"` : whole;
}

function secondCells([second, also]) {
  return { second_head: second?.[1], second_deprel: second?.[2], second_also_word: also?.[0], second_also_head: also?.[1], second_also_deprel: also?.[2] };
}

function table() {
  const lines = [[...COLUMNS, "run"].join(",")];
  keys.forEach((key, number) => {
    const decision = decisions.get(key);
    if (!decision || !(decision.decision || decision.note)) return;
    const sentence = sentenceOf(number), [first, also] = arcsOf(number);
    const row = {
      ...Object.fromEntries(data.fields.map((name) => [name, value(number, name)])),
      sent_id: sentence.sent_id, file: sentence.file, content: sentence.content, reason: reasonOf(number), form: sentence.forms[value(number, "word") - 1],
      upos: sentence.tags[value(number, "word") - 1], proposed_upos: decision.upos, proposed_value: newValueOf(number), proposed_head: first[1], proposed_deprel: first[2], also_word: also?.[0], also_head: also?.[1], also_deprel: also?.[2],
      ...secondCells(value(number, "second_arcs")),
      decision: decision.half ? "both" : decision.decision, note: decision.note, other_half: halfOf(number),
    };
    lines.push([...COLUMNS.map((name) => cell(row[name])), cell(RUN)].join(","));
  });
  for (const { row, decision, note } of decisions.values()) {
    if (row) lines.push([...COLUMNS.map((name) => cell({ ...row, decision, note }[name])), cell(RUN)].join(","));
  }
  return `${lines.join("\n")}\n`;
}

function save() {
  const link = element("a");
  link.href = URL.createObjectURL(new Blob([table()], { type: "text/csv" }));
  link.download = "decisions.csv";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  byId("message").textContent = "Saved decisions.csv.";
}

function rowsOf(text) {
  const rows = [];
  let row = [], field = "", quoted = false;
  for (let i = 0; i < text.length; i++) {
    const sign = text[i];
    if (quoted) {
      if (sign === '"' && text[i + 1] === '"') { field += '"'; i++; }
      else if (sign === '"') quoted = false;
      else field += sign;
    } else if (sign === '"') quoted = true;
    else if (sign === ",") { row.push(field); field = ""; }
    else if (sign === "\n") { rows.push([...row, field.replace(/\r$/, "")]); row = []; field = ""; }
    else field += sign;
  }
  if (field || row.length) rows.push([...row, field]);
  return rows;
}

/* The columns of the second proposal, by those of the first. */
const SECOND = { proposed_head: "second_head", proposed_deprel: "second_deprel", also_word: "second_also_word", also_head: "second_also_head", also_deprel: "second_also_deprel" };

function load(text) {
  const [header = [], ...rows] = rowsOf(text.replace(/^\ufeff/, ""));
  const place = Object.fromEntries(header.map((name, i) => [name, i]));
  if (!("content" in place && "decision" in place)) {
    byId("message").textContent = "This is no file of decisions.";
    return;
  }
  let found = 0;
  for (const row of rows) {
    const written = (name) => row[place[name]] ?? "";
    const isSecond = written("decision").toLowerCase() === "second";
    const read = (name) => (isSecond && name in SECOND ? written(SECOND[name]) : written(name));
    const key = keyFrom(read), isBoth = written("decision").toLowerCase() === "both", decision = isSecond || isBoth ? "accept" : read("decision").toLowerCase();
    if (!["accept", "reject", "later", ""].includes(decision) || !(decision || read("note"))) continue;
    if (!numberOf.has(key)) {
      decisions.set(key, { decision: isBoth ? "both" : decision, note: read("note"), row: Object.fromEntries(header.map((name, i) => [name, row[i]])) });
      found++;
      continue;
    }
    const arcs = [[Number(read("word")), Number(read("proposed_head")), read("proposed_deprel")]];
    if (read("also_word")) arcs.push([Number(read("also_word")), Number(read("also_head")), read("also_deprel")]);
    const size = sentenceOf(numberOf.get(key)).forms.length;
    if (arcs.some(([word, head]) => !(word >= 1 && word <= size && head >= 0 && head <= size))) continue;
    const upos = decision === "accept" && read("proposed_upos") ? read("proposed_upos") : undefined;
    const newValue = decision === "accept" && !isArc(numberOf.get(key)) ? read("proposed_value") : undefined;
    decisions.set(key, { decision, note: read("note"), arcs: decision === "accept" ? arcs : undefined, upos, value: newValue, half: isBoth ? read("other_half") : undefined });
    found++;
  }
  store();
  relearn();
  filter();
  byId("message").textContent = `Loaded ${countNoun(found, "decision")}.`;
}
byId("save").addEventListener("click", save);
byId("load").addEventListener("change", async (event) => {
  const [file] = event.target.files;
  if (file) load(await file.text());
});

for (const list of ["relations", "tags"]) {
  for (const name of data[list]) byId(list).append(Object.assign(element("option"), { value: name }));
}
for (const name of new Set(data.rows.map((_, number) => value(number, "column")))) {
  if (!["head", "punct"].includes(name)) byId("by-column").append(Object.assign(element("option", name), { value: name }));
}
for (const name of new Set(data.sentences.map((sentence) => sentence.file))) byId("by-file").append(Object.assign(element("option", name), { value: name }));
restore();
relearn();
filter();
