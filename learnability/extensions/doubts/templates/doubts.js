"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";
const SHOWN_NEXT = 12;
const COLUMNS = data.columns;
/* By what they are about; those about words that are not listed here also have the row that they came in. */
const decisions = new Map();
const before = [];
let filtered = [], at = 0, scores = [];
/* The doubt that was decided last, and the one that the note is typed for. */
let lastDecided = -1, noted = -1;

/* Doubts are arrays in the order of `data.fields`; objects are made for those that are looked at. */
const FIELD = Object.fromEntries(data.fields.map((name, place) => [name, place]));
const value = (number, name) => data.doubts[number][FIELD[name]];
const sentenceOf = (number) => data.sentences[value(number, "sentence")];
/* What a decision is about: an arc, or the value of another column, whatever the arc is. */
const isArc = (number) => data.arcs.includes(value(number, "column"));
function keyFrom(read) {
  const column = read("column") || data.arcs[0], arc = data.arcs.includes(column) ? [read("head"), read("deprel")] : ["", ""];
  return [read("content"), read("word"), ...arc, column, data.arcs.includes(column) ? "" : read("value")].join("\t");
}
const keyOf = (number) => keyFrom((name) => value(number, name));
const keys = data.doubts.map((_, number) => keyOf(number));
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
const nameOf = (number) => value(number, "column").replace(/^feats:/, "");
const valueInWords = (number, text) => (text ? `${nameOf(number)}=${text}` : `no ${nameOf(number)}`);

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
    return name === "xpos" ? `XPOS ${cell}` : cell;
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

function draw(number) {
  const sentence = sentenceOf(number), word = value(number, "word"), count = sentence.forms.length;
  const proposed = (isArc(number) ? arcsOf(number) : []).map(([dependent, head, label]) => ({ word: dependent, head, label, kind: "changed" }));
  const changed = new Set(proposed.map((arc) => arc.word));
  const above = sentence.heads.map((head, i) => ({ word: i + 1, head, label: sentence.deprels[i], kind: changed.has(i + 1) ? "changed" : "same" }));
  const sizes = sentence.forms.map((form, i) => Math.max(widthOf(form, 15), widthOf(sentence.tags[i], 11), widthOf(sentence.deprels[i], 11) + 6, 24));
  const backwards = isRightToLeft(sentence.forms.join(""));
  const centres = [];
  let end = 20;
  for (let i = 0; i < count; i++) {
    const place = backwards ? count - 1 - i : i;
    centres[place] = end + sizes[place] / 2;
    end += sizes[place] + 16;
  }
  const width = Math.ceil(end + 10);
  const heights = [above, proposed].map((arcs) => Math.max(0, ...levelsOf(arcs)));
  const top = 40 + 26 + 20 * heights[0], height = top + 44 + 40 + 26 + 20 * heights[1];
  const svg = shape("svg", { class: "tree", width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${byId("place").textContent} ${byId("arcs").textContent}` });
  svg.append(shape("text", { class: "scheme", x: 4, y: 14 }, "annotation"), shape("text", { class: "scheme", x: 4, y: height - 6 }, "proposal"));
  drawArcs(svg, above, centres, top, -1, "base");
  drawArcs(svg, proposed, centres, top + 44, 1, "alternative");
  sentence.forms.forEach((form, i) => {
    const text = shape("text", { class: "word", x: centres[i], y: top + 19, "font-weight": i + 1 === word ? 700 : 400, "data-word": i + 1 }, form);
    if (i + 1 === word) text.style.fontWeight = 700;
    svg.append(text, shape("text", { class: "tag", x: centres[i], y: top + 35 }, sentence.tags[i]));
  });
  byId("drawing").replaceChildren(svg);
  byId("drawing").scrollLeft = centres[word - 1] - byId("drawing").clientWidth / 2;
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
  return now === value(number, "score").toFixed(2) ? "" : `, now ${now}`;
}

function show() {
  const has = filtered.length > 0;
  at = Math.max(0, Math.min(at, filtered.length - 1));
  for (const id of ["accept", "second", "both", "reject", "change", "later", "undo", "previous", "next", "note"]) byId(id).disabled = !has;
  byId("edit").hidden = true;
  byId("drawing").classList.remove("picks");
  showProgress();
  if (!has) {
    byId("place").textContent = "No doubt fits the filters.";
    for (const id of ["arcs", "reason", "half", "breaks", "sentence", "drawing", "list"]) byId(id).replaceChildren();
    return;
  }
  const number = filtered[at], sentence = sentenceOf(number), decision = decisions.get(keys[number]);
  byId("place").textContent = `${sentence.file}:${value(number, "line")}  ${sentence.sent_id}  score ${value(number, "score").toFixed(2)}${learned(number)}  ${value(number, "pattern")}${value(number, "validator") ? `  validator: ${value(number, "validator")}` : ""}${decision?.decision ? `  – ${decision.decision}` : ""}`;
  const [first, also] = arcsOf(number);
  byId("second").disabled = !value(number, "second_arcs").length;
  byId("both").disabled = !halfOf(number);
  byId("half").textContent = halfOf(number) ? `${decision?.half ? "With it" : "And then"} ${halfInWords(halfOf(number))}${decision?.half ? "." : "?"}` : "";
  byId("reason").textContent = value(number, "reason");
  byId("breaks").textContent = value(number, "would_break") ? `The proposal alone would break ${value(number, "would_break")}.` : "";
  byId("arcs").replaceChildren(
    element("b", sentence.forms[value(number, "word") - 1]), ": ",
    element("span", alternativesInWords(number), "alternative"), ", not ",
    element("span", annotationInWords(number), "base"),
    decisions.get(keys[number])?.upos ? `, as ${decision.upos}, not ${sentence.tags[value(number, "word") - 1]}` : "",
    also ? `; with it ${sentence.forms[also[0] - 1]} as ${inWords(also[1], also[2], sentence)}` : "",
  );
  const parts = sentence.forms.flatMap((form, i) => {
    const isWord = i + 1 === value(number, "word"), isHead = isArc(number) && i + 1 === value(number, "head"), isNew = isArc(number) && i + 1 === first[1];
    return [isWord || isHead || isNew ? element("mark", form, isWord ? "" : isNew ? "alternative" : "base") : form, " "];
  });
  byId("sentence").replaceChildren(...parts);
  byId("note").value = decision?.note ?? "";
  byId("note-label").replaceChildren("Note on ", element("b", isolated(sentence.forms[value(number, "word") - 1])), " ", element("kbd", "n"));
  draw(number);
  showList();
}

function showProgress() {
  let decided = 0, accepted = 0;
  for (const key of keys) {
    const decision = decisions.get(key)?.decision;
    if (decision) decided++;
    if (decision === "accept") accepted++;
  }
  const some = filtered.length === data.doubts.length ? "" : ` ${filtered.length.toLocaleString("en")} fit the filters.`;
  byId("progress").textContent = `${decided.toLocaleString("en")} of ${data.doubts.length.toLocaleString("en")}, ${accepted.toLocaleString("en")} accepted.${some}`;
}

function showList() {
  const items = filtered.slice(at + 1, at + 1 + SHOWN_NEXT).map((number, i) => {
    const sentence = sentenceOf(number), decision = decisions.get(keys[number])?.decision;
    const button = element("button", `${isolated(sentence.forms[value(number, "word") - 1])}: ${alternativesInWords(number)}, not ${annotationInWords(number)}${decision ? ` – ${decision}` : ""}`, decision ? "decided" : "");
    button.type = "button";
    button.addEventListener("click", () => { at += i + 1; show(); });
    const item = element("li");
    item.value = at + i + 2;
    item.append(button);
    return item;
  });
  byId("list").replaceChildren(...items);
}

/* What decisions teach: the model of learning.py, which says what it does. */
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

const earlier = data.learning.lessons.map(([doubt, isWrong]) => [featuresOf(doubt), isWrong ? 1 : 0]);
const seen = data.doubts.map((_, number) => {
  const score = Math.min(Math.max(value(number, "score"), data.learning.least), 1 - data.learning.least);
  return featuresOf([Math.log(score / (1 - score)), value(number, "traits")]);
});

function relearn() {
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
const byScore = (numbers) => numbers.sort((a, b) => scores[b] - scores[a] || a - b);

/* What was decided stays where it is; what follows comes in its new order. */
function reorder() {
  relearn();
  filtered = [...filtered.slice(0, at + 1), ...byScore(filtered.slice(at + 1))];
}

/* What is decided. */
function decide(decision, { arcs, upos, value: newValue, half } = {}) {
  if (!filtered.length) return;
  const number = filtered[at], key = keys[number], kept = decisions.get(key) ?? {};
  const made = decision !== "accept" ? { note: kept.note, decision } : {
    ...kept, decision, arcs: arcs ?? arcsOf(number), upos: upos ?? kept.upos, half,
    value: isArc(number) ? undefined : newValue ?? newValueOf(number),
  };
  before.push([key, decisions.get(key)]);
  decisions.set(key, made);
  lastDecided = number;
  store();
  reorder();
  if (at < filtered.length - 1) at++;
  show();
  const form = isolated(sentenceOf(number).forms[value(number, "word") - 1]);
  byId("last").replaceChildren(element("b", form), `: ${decision}${half ? ` with ${halfInWords(half)}` : ""}. `, element("kbd", "m"), " writes a note on it, ", element("kbd", "u"), " takes it back.");
}

function acceptSecond() {
  const arcs = filtered.length ? value(filtered[at], "second_arcs") : [];
  if (arcs.length) decide("accept", { arcs });
}

function acceptBoth() {
  const half = filtered.length ? halfOf(filtered[at]) : "";
  if (half) decide("accept", { half });
}

function undo() {
  if (!before.length) return;
  const [key, kept] = before.pop();
  if (kept) decisions.set(key, kept);
  else decisions.delete(key);
  store();
  const place = filtered.indexOf(numberOf.get(key));
  if (place >= 0) at = place;
  reorder();
  show();
}

function move(step) {
  at += step;
  show();
}

function edit() {
  if (!filtered.length) return;
  const number = filtered[at], sentence = sentenceOf(number), [first] = arcsOf(number);
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
byId("note").addEventListener("focus", () => { if (noted < 0 && filtered.length) noted = filtered[at]; });
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

const COMMANDS = { a: () => decide("accept"), b: acceptBoth, s: acceptSecond, r: () => decide("reject"), l: () => decide("later"), e: edit, u: undo, j: () => move(1), k: () => move(-1), ArrowDown: () => move(1), ArrowUp: () => move(-1), n: () => writeNote(filtered[at] ?? -1), m: () => writeNote(lastDecided), w: save };
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
for (const [id, command] of Object.entries({ accept: COMMANDS.a, second: acceptSecond, both: acceptBoth, reject: COMMANDS.r, change: edit, later: COMMANDS.l, undo, previous: COMMANDS.k, next: COMMANDS.j })) {
  byId(id).addEventListener("click", command);
}

/* Filters. */
const FILTERS = ["by-decision", "by-pattern", "by-deprel", "by-lemma", "by-file", "by-score", "by-validator", "by-column"];
function changedColumns(number) {
  if (!["head", "punct"].includes(value(number, "column"))) return value(number, "column");
  const changed = ["head", "deprel"].filter((name) => value(number, name) !== value(number, `proposed_${name}`));
  return changed.length > 1 ? "both" : changed[0];
}

function filter() {
  const [decision, pattern, deprel, lemma, file, score, validator, column] = FILTERS.map((id) => byId(id).value.trim());
  const least = Number(score) || 0, sought = lemma.toLowerCase();
  filtered = data.doubts.map((_, number) => number).filter((number) => {
    const sentence = sentenceOf(number), word = value(number, "word"), made = decisions.get(keys[number])?.decision || "open";
    return (!decision || made === decision) && (!pattern || value(number, "pattern").includes(pattern)) &&
      (!deprel || value(number, "deprel") === deprel || value(number, "proposed_deprel") === deprel) &&
      (!sought || value(number, "lemma").toLowerCase() === sought || sentence.forms[word - 1].toLowerCase() === sought) &&
      (!file || sentence.file === file) && value(number, "score") >= least &&
      (!validator || Boolean(value(number, "validator")) === (validator === "finds")) && (!column || changedColumns(number) === column);
  });
  const isOpen = (number) => !decisions.get(keys[number])?.decision;
  const decided = filtered.filter((number) => !isOpen(number));
  filtered = [...decided, ...byScore(filtered.filter(isOpen))];
  at = decided.length;
  show();
}
for (const id of FILTERS) byId(id).addEventListener("change", filter);
byId("clear").addEventListener("click", () => {
  for (const id of FILTERS) byId(id).value = "";
  filter();
});

/* The file of decisions: the table doubts.csv, with what is decided, and the folder of the run. */
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
      sent_id: sentence.sent_id, file: sentence.file, form: sentence.forms[value(number, "word") - 1],
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
  byId("message").textContent = `Loaded ${found} decisions.`;
}
byId("save").addEventListener("click", save);
byId("load").addEventListener("change", async (event) => {
  const [file] = event.target.files;
  if (file) load(await file.text());
});

for (const list of ["relations", "tags"]) {
  for (const name of data[list]) byId(list).append(Object.assign(element("option"), { value: name }));
}
for (const name of new Set(data.doubts.map((_, number) => value(number, "column")))) {
  if (!["head", "punct"].includes(name)) byId("by-column").append(Object.assign(element("option", name), { value: name }));
}
for (const name of new Set(data.sentences.map((sentence) => sentence.file))) byId("by-file").append(Object.assign(element("option", name), { value: name }));
restore();
relearn();
filter();
