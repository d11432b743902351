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
// On paper everything is open.
const opened = new Set();
addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("details:not([open])")) {
    details.open = true;
    opened.add(details);
  }
});
addEventListener("afterprint", () => {
  for (const details of opened) details.open = false;
  opened.clear();
});
