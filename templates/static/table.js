// Sorts, filters and chooses the columns of tables that are already there, and keeps that in the page's address.
// Nothing is fetched, and no markup is ever made from text: without this script everything can be read all the same.
(() => {
  "use strict";

  const UNDEFINED = "—";
  const MOST_CHOICES = 40;
  const ROOM = 40; // rows of a long table that are laid out at once, for layout takes longer than sorting
  const collator = new Intl.Collator("en", { numeric: true });
  const count = (number) => number.toLocaleString("en");
  const opposite = { ascending: "descending", descending: "ascending" };

  const make = (name, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
  };

  /** What a cell is sorted by: its exact value, else its text; undefined where it says nothing. */
  const keyOf = (cell) => {
    if (cell.dataset.value !== undefined) return cell.dataset.value;
    if (!cell.matches(".header, .text")) return undefined;
    const own = [...cell.childNodes].filter((node) => !node.matches?.(".detail, sup"));
    const text = own.map((node) => node.textContent).join("").trim();
    return text && text !== UNDEFINED ? text : undefined;
  };

  const readColumn = (heading, rows) => {
    const index = Number(heading.dataset.at);
    const texts = rows.map((row) => keyOf(row.cells[index]));
    const numeric = rows.every(({ cells }, i) =>
      texts[i] === undefined || (cells[index].dataset.value !== undefined && Number.isFinite(Number(texts[i]))));
    return {
      id: heading.dataset.column,
      name: heading.dataset.name,
      heading, index, texts,
      keys: numeric ? texts.map((text) => (text === undefined ? undefined : Number(text))) : texts,
      first: heading.dataset.order ?? (numeric && heading.matches(".number") ? "descending" : "ascending"),
    };
  };

  /** A total order: what is missing comes last in both directions, and ties stay as they were. */
  const sorted = ({ keys }, direction) => {
    const sign = direction === "ascending" ? 1 : -1;
    const compare = (a, b) => (typeof a === "number" ? a - b : collator.compare(a, b));
    return [...keys.keys()].sort((i, j) => {
      const missing = (keys[i] === undefined) - (keys[j] === undefined);
      if (missing || keys[i] === undefined) return missing || i - j;
      return sign * compare(keys[i], keys[j]) || i - j;
    });
  };

  /** The choices of a facet: whole texts, or each letter of a group. */
  const partsOf = (column, kind) =>
    column.texts.map((text) => (text === undefined ? [] : kind === "letters" && /^[a-z]+$/.test(text) ? [...text] : [text]));

  const remembered = (id) => (key) => new URLSearchParams(location.search).get(`${id}.${key}`) ?? "";

  const remember = (id, key, value, hash = location.hash) => {
    const all = new URLSearchParams(location.search);
    if (value) all.set(`${id}.${key}`, value);
    else all.delete(`${id}.${key}`);
    const query = all.toString();
    try {
      history.replaceState(null, "", `${location.pathname}${query && `?${query}`}${hash}`);
    } catch {
      // Not every browser lets a page that was opened from a folder change its address.
    }
  };

  const enhance = (table) => {
    const body = table.tBodies[0];
    const rows = [...body.rows];
    if (rows.length < 2) return;
    const region = table.parentElement;
    const tools = table.closest(".table").querySelector(".tools");
    const status = make("p", { className: tools ? "status" : "unseen", role: "status" });
    const columns = [...table.querySelectorAll("th[data-at]")].map((heading) => readColumn(heading, rows));
    const byId = new Map(columns.map((column) => [column.id, column]));
    const past = remembered(table.id);
    const filters = new Map();
    const fields = new Map();
    let order = null;
    let sequence = rows;
    const long = rows.length > 60;
    let whole = !long;
    let moving = null;

    const say = (...words) => { status.textContent = words.filter(Boolean).join(" "); };
    const asked = () => rows.find(({ id }) => id && `#${id}` === location.hash);
    const extent = () => (filters.size ? `${count(rows.filter((row) => !row.hidden).length)} of ${count(rows.length)} rows.` : "");
    const ordered = () => (order ? `Sorted by ${order.column.name}, ${order.direction}.` : "");

    const more = make("button", { type: "button", className: "more" });
    /** Say how many rows there are, of which not all are laid out. */
    const number = (found) => {
      const head = table.tHead.rows.length;
      table.setAttribute("aria-rowcount", head + found.length);
      found.forEach((row, i) => row.setAttribute("aria-rowindex", head + i + 1));
      more.textContent = `Show all ${count(found.length)} rows`;
    };
    /** Put rows in their order: at once those for which there is room, the others when these are painted. */
    const arrange = () => {
      const found = sequence.filter((row) => !row.hidden);
      const seen = new Set(long ? found.slice(0, ROOM) : sequence);
      const rest = sequence.filter((row) => !seen.has(row));
      for (const row of rows) row.classList.toggle("later", !seen.has(row));
      more.hidden = whole || found.length <= ROOM;
      if (long) number(found);
      body.prepend(...seen);
      moving = rest.length ? rest : null;
      requestAnimationFrame(() => setTimeout(() => {
        if (moving !== rest) return;
        settle();
        if (whole) reveal(rest.length);
        else grow();
      }));
    };
    const settle = () => {
      if (moving) body.append(...moving);
      moving = null;
    };
    const reveal = (most) => {
      settle();
      const waiting = [...body.querySelectorAll("tr.later:not([hidden])")];
      for (const row of waiting.slice(0, most)) row.classList.remove("later");
      more.hidden = waiting.length <= most;
    };
    /** Make room for more as the reader nears the last row. */
    const grow = () => {
      if (region.scrollHeight - region.scrollTop < 1.5 * region.clientHeight) reveal(ROOM);
    };
    const showAll = () => {
      whole = true;
      reveal(rows.length);
    };
    /** Show a row that the address names, whatever hides it. */
    const show = (row) => {
      if (!row?.matches("[hidden], .later")) return;
      if (row.hidden) clear(row);
      if (row.matches(".later")) reveal(rows.length);
      row.scrollIntoView();
    };

    const sort = (column, direction) => {
      order = column ? { column, direction } : null;
      for (const one of columns) one.heading.removeAttribute("aria-sort");
      column?.heading.setAttribute("aria-sort", direction);
      sequence = column ? sorted(column, direction).map((i) => rows[i]) : rows;
      arrange();
      remember(table.id, "sort", column ? `${column.id}.${direction}` : "");
    };

    const cycle = (column) => {
      region.scrollTop = 0;
      if (order?.column !== column) sort(column, column.first);
      else if (order.direction === column.first) sort(column, opposite[column.first]);
      else sort(null);
      say(ordered() || "In the order of the page.", extent());
    };

    const filter = () => {
      const tests = [...filters.values()];
      rows.forEach((row, i) => { row.hidden = !tests.every((test) => test(i)); });
      if (long) arrange();
      say(extent(), ordered());
    };

    const choose = (key, value, test) => {
      if (value) filters.set(key, test);
      else filters.delete(key);
      region.scrollTop = 0;
      filter();
      remember(table.id, key, value, asked()?.hidden ? "" : location.hash);
    };

    const clear = (row) => {
      for (const [key, field] of fields) {
        field.value = "";
        remember(table.id, key, "", `#${row.id}`);
      }
      filters.clear();
      filter();
    };

    for (const column of columns) {
      if (column.keys.every((key) => key === undefined)) continue;
      const title = column.heading.querySelector(".column");
      const button = make("button", { type: "button", className: "sort" });
      if (title.closest("a")) {
        button.ariaLabel = `Sort by ${column.name}`;
        title.parentElement.before(button);
      } else {
        title.replaceWith(button);
        button.append(title);
      }
      button.addEventListener("click", () => cycle(column));
    }

    const first = asked();
    if (tools) {
      textFilter();
      for (const column of columns) if (column.heading.dataset.facet) facet(column, column.heading.dataset.facet);
      if (columns.length > 3) columnChoice();
      tools.append(status);
    } else {
      table.closest(".table").append(status);
    }
    const [, id, direction] = past("sort").match(/^(.*)\.(ascending|descending)$/s) ?? [];
    if (byId.has(id)) sort(byId.get(id), direction);
    if (filters.size || order) say(ordered(), extent());
    if (long) {
      more.addEventListener("click", () => {
        settle();
        const next = body.querySelector("tr.later:not([hidden]) a") ?? region;
        showAll();
        next.focus();
      });
      region.after(more);
      region.addEventListener("scroll", grow, { passive: true });
      // What is not laid out is not found in the page, either.
      window.addEventListener("keydown", ({ key, ctrlKey, metaKey }) => {
        if (key === "F3" || (key.toLowerCase() === "f" && (ctrlKey || metaKey))) showAll();
      });
      if (!order && !filters.size) {
        for (const row of rows.slice(ROOM)) row.classList.add("later");
        number(rows);
      }
      requestAnimationFrame(grow);
    }
    show(first);
    window.addEventListener("hashchange", () => show(asked()));

    function textFilter() {
      const input = make("input", { type: "search", autocomplete: "off", spellcheck: false });
      let texts = null;
      const apply = () => {
        const wanted = input.value.trim().toLowerCase();
        texts ??= rows.map((row) => [...row.cells].filter((cell) => cell.matches(".header, .text")).map((cell) => cell.textContent).join(" ").toLowerCase());
        choose("find", wanted && input.value, (i) => texts[i].includes(wanted));
      };
      input.addEventListener("input", apply);
      fields.set("find", input);
      tools.append(make("label", {}, "Find ", input));
      input.value = past("find");
      if (input.value.trim()) apply();
    }

    function facet(column, kind) {
      const parts = partsOf(column, kind);
      const values = [...new Set(parts.flat())].sort(collator.compare);
      if (values.length < 2 || values.length > MOST_CHOICES) return;
      const select = make("select", {}, make("option", { value: "" }, "any"), ...values.map((value) => make("option", { value }, value)));
      const apply = () => choose(column.id, select.value, (i) => parts[i].includes(select.value));
      select.addEventListener("change", apply);
      fields.set(column.id, select);
      tools.append(make("label", {}, `${column.name} `, select));
      if (values.includes(past(column.id))) {
        select.value = past(column.id);
        apply();
      }
    }

    function columnChoice() {
      const open = make("details", { className: "columns" }, make("summary", {}, "Columns"));
      const list = make("div", { className: "choices" });
      const narrow = matchMedia("(max-width: 40rem)").matches;
      const hidden = new Set(past("hide").split(" "));
      const boxes = columns.filter((column) => !column.heading.matches(".header")).map((column) => {
        const box = make("input", { type: "checkbox" });
        box.checked = past("hide") ? !hidden.has(column.id) : !(narrow && "minor" in column.heading.dataset);
        const show = () => {
          for (const cell of [column.heading, ...rows.map((row) => row.cells[column.index])]) cell.hidden = !box.checked;
        };
        if (!box.checked) show();
        box.addEventListener("change", () => {
          show();
          widen();
          remember(table.id, "hide", boxes.filter(([, one]) => !one.checked).map(([name]) => name).join(" "));
        });
        list.append(make("label", {}, box, ` ${column.name}`));
        return [column.id, box];
      });
      /** A heading over several columns spans those that are shown. */
      const widen = () => {
        for (const group of table.querySelectorAll("th[data-from]")) {
          const from = Number(group.dataset.from);
          const span = columns.filter(({ index, heading }) => index >= from && index < from + Number(group.dataset.span) && !heading.hidden).length;
          group.hidden = !span;
          if (span) group.colSpan = span;
        }
      };
      widen();
      open.append(list);
      open.addEventListener("keydown", (event) => {
        if (event.key !== "Escape") return;
        open.open = false;
        open.firstChild.focus();
      });
      tools.append(open);
    }
  };

  for (const table of document.querySelectorAll(".table table")) enhance(table);

  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a.here");
    if (!link) return;
    const copied = navigator.clipboard?.writeText(new URL(link.getAttribute("href"), location.href).href);
    copied?.then(() => { link.textContent = "Link copied"; }, () => {});
  });
})();
