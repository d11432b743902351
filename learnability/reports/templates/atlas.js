// The table of all answers shows the treebanks that fit the filters; the address keeps what was chosen.
{
  const form = document.getElementById("filters");
  const table = document.getElementById("atlas");
  if (form && table) {
    const rows = [...table.querySelectorAll("tbody.treebanks tr")];
    const all = [...table.querySelectorAll("tr")];
    const columns = [...table.querySelectorAll("thead th")].slice(1).map((cell) => cell.dataset.construction);
    const status = form.querySelector("[role=status]");
    const fits = (outcome, wanted) =>
      wanted === "clear" ? ["base", "alternative", "equal", "divided"].includes(outcome) : outcome === wanted;
    const show = () => {
      const { name, family, outcome, train, construction } = Object.fromEntries(new FormData(form));
      const words = name.toLowerCase().split(/[\s_]+/).filter(Boolean);
      const column = construction === "" ? null : columns.indexOf(construction);
      let shown = 0;
      for (const row of rows) {
        const text = row.dataset.name.toLowerCase().replaceAll("_", " ");
        const cells = [...row.cells].slice(1);
        const chosen = cells.map((cell, i) =>
          (column === null || i === column) && (outcome === "" || fits(cell.dataset.outcome, outcome)) &&
          (train === "" || cell.dataset.train === train));
        const asked = outcome !== "" || train !== "";
        cells.forEach((cell, i) => cell.classList.toggle("faint", asked && !chosen[i]));
        row.hidden = !(words.every((word) => text.includes(word)) &&
          (family === "" || row.dataset.family === family) && (!asked || chosen.some(Boolean)));
        shown += !row.hidden;
      }
      for (const row of all) {
        [...row.cells].slice(1).forEach((cell, i) => { cell.hidden = column !== null && i !== column; });
      }
      status.textContent = `${shown} of ${rows.length} treebanks`;
    };
    const remember = () => {
      const chosen = [...new FormData(form)].filter(([, value]) => value !== "");
      history.replaceState(null, "", `#${new URLSearchParams(chosen)}`);
    };
    const recall = () => {
      const chosen = new URLSearchParams(location.hash.slice(1));
      for (const field of form.elements) {
        if (field.name) field.value = chosen.get(field.name) ?? "";
        if (field.selectedIndex === -1) field.value = "";  // an unknown choice shows all
      }
    };
    for (const kind of ["input", "change"]) form.addEventListener(kind, () => { show(); remember(); });
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("reset", () => setTimeout(() => { show(); remember(); }));
    addEventListener("hashchange", () => { recall(); show(); });
    recall();
    form.hidden = false;
    show();
  }
}
// A map that is wider than the window starts where its marks are.
for (const land of document.querySelectorAll(".land")) {
  const marks = [...land.querySelectorAll("a")].map((mark) => mark.getBoundingClientRect().left).sort((a, b) => a - b);
  const frame = land.parentElement;
  frame.scrollLeft = marks[Math.floor(marks.length / 2)] - frame.getBoundingClientRect().left - frame.clientWidth / 2;
}
