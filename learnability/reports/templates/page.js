"use strict";
// Tables sort by a click on a heading, and show the rows that contain the text typed above them.
for (const table of document.querySelectorAll("table[data-sorts]")) {
  const body = table.tBodies[0];
  const valueOf = (row, column) => {
    const cell = row.cells[column];
    const text = cell.dataset.value ?? cell.textContent.trim();
    return { text, number: text === "" ? NaN : Number(text.replace("−", "-").replaceAll(",", "")) };
  };
  const compare = (a, b, down) => {
    if ((a.text === "") !== (b.text === "")) return a.text === "" ? 1 : -1; // what is empty stays last
    const numbers = !Number.isNaN(a.number) && !Number.isNaN(b.number);
    const order = numbers ? a.number - b.number : a.text.localeCompare(b.text, "en", { numeric: true });
    return down ? -order : order;
  };
  for (const heading of table.tHead.rows[0].cells) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    heading.append(button);
    heading.setAttribute("aria-sort", "none");
    button.addEventListener("click", () => {
      const down = heading.getAttribute("aria-sort") === "ascending";
      for (const other of table.tHead.rows[0].cells) other.setAttribute("aria-sort", "none");
      heading.setAttribute("aria-sort", down ? "descending" : "ascending");
      const rows = [...body.rows].map((row) => ({ row, value: valueOf(row, heading.cellIndex) }));
      rows.sort((x, y) => compare(x.value, y.value, down));
      body.append(...rows.map(({ row }) => row));
    });
  }
  const filter = document.querySelector(`.filter[data-for="${table.id}"]`);
  if (filter === null) continue;
  const input = filter.querySelector("input");
  const status = filter.querySelector("[role=status]");
  const show = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of body.rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
      shown += !row.hidden;
    }
    status.textContent = `${shown} of ${body.rows.length} rows`;
  };
  input.addEventListener("input", show);
  filter.hidden = false;
  show();
}
// A link to a part that is folded opens it.
const reveal = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let part = target?.closest("details"); part; part = part.parentElement.closest("details")) part.open = true;
  target?.scrollIntoView();
};
addEventListener("hashchange", reveal);
if (location.hash) reveal();
// A table that is wider than its box breaks its cells; on a phone, or where that does not help, its rows stand one below the
// other, each value behind its heading.
const ROLES = { TABLE: "table", THEAD: "rowgroup", TBODY: "rowgroup", TR: "row", TD: "cell" };
const fit = (table) => {
  if (!table.checkVisibility()) return;
  const isWide = () => table.offsetWidth > table.parentElement.clientWidth + 1;
  table.classList.remove("stacked", "tight");
  table.classList.toggle("tight", innerWidth > 640 && isWide());
  table.classList.toggle("stacked", isWide());
};
const watch = new ResizeObserver((boxes) => {
  for (const { target } of boxes) fit(target.querySelector("table"));
});
for (const table of document.querySelectorAll(".scroll > table:not(#atlas)")) {
  const headings = [...table.tHead.rows[0].cells].map((cell) => cell.textContent);
  for (const row of table.rows) {
    for (const cell of row.cells) {
      if (cell.tagName === "TD") cell.dataset.title = headings[cell.cellIndex] ?? "";
      cell.setAttribute("role", ROLES[cell.tagName] ?? (cell.scope === "col" ? "columnheader" : "rowheader"));
    }
    row.setAttribute("role", "row");
  }
  for (const part of [table, table.tHead, ...table.tBodies]) part.setAttribute("role", ROLES[part.tagName]);
  watch.observe(table.parentElement);
}
addEventListener("beforeprint", () => {
  for (const table of document.querySelectorAll(".stacked")) table.classList.remove("stacked");
});
addEventListener("afterprint", () => document.querySelectorAll(".scroll > table:not(#atlas)").forEach(fit));
// What is to be typed has a button that copies it.
for (const lines of document.querySelectorAll("pre")) {
  const text = () => (lines.querySelector("code") ?? lines.firstChild).textContent;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text());
      button.textContent = "Copied";
    } catch { // no clipboard here: what is selected can be copied with the keyboard
      getSelection().selectAllChildren(lines.querySelector("code") ?? lines);
      button.textContent = "Press Ctrl+C";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  lines.append(button);
}
