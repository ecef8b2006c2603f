// Reloads this page when it has changed, keeps the reader's place in it, and shows what is wrong with what was written.
// Only the preview server adds it to a page; a built site never holds it.
"use strict";
(() => {
  const own = document.currentScript.dataset;
  const KEY = "tallystick-preview " + location.pathname;
  let stream = null;

  const each = (selector, act) => document.querySelectorAll(selector).forEach(act);

  // --- the reader's place: scrolled, typed, opened; how a table is sorted stands in the address ------------------

  function state() {
    const kept = { scroll: [scrollX, scrollY], boxes: [], fields: [], open: [], more: [] };
    each(".scroll", (box) => kept.boxes.push([box.scrollLeft, box.scrollTop]));
    each("input, select, textarea", (field) => kept.fields.push([field.value, field.checked === true]));
    each("details", (details) => kept.open.push(details.open));
    each(".more", (more) => kept.more.push(!more.hidden));
    return kept;
  }

  function restore(kept) {
    each("details", (details, i) => { if (i < kept.open.length) details.open = kept.open[i]; });
    each("input, select, textarea", (field, i) => {
      const [value, checked] = kept.fields[i] ?? [field.value, field.checked === true];
      if (field.value === value && (field.checked === true) === checked) return;
      field.value = value;
      if ("checked" in field) field.checked = checked;
      for (const name of ["input", "change"]) field.dispatchEvent(new Event(name, { bubbles: true }));
    });
    each(".more", (more, i) => { if (kept.more[i] === false && !more.hidden) more.click(); });
    document.activeElement?.blur();
    each(".scroll", (box, i) => { if (kept.boxes[i]) scrollBox(box, ...kept.boxes[i]); });
    scrollTo(...kept.scroll);
  }

  // A long table lays out more rows as it is scrolled to the last one.
  function scrollBox(box, left, top) {
    let height;
    do {
      height = box.scrollHeight;
      box.scrollTo(left, top);
      box.dispatchEvent(new Event("scroll"));
    } while (box.scrollHeight > height && box.scrollTop < top);
    box.scrollTo(left, top);
  }

  function reload() {
    try { sessionStorage.setItem(KEY, JSON.stringify(state())); } catch { /* no storage: the place is lost, no more */ }
    location.reload();
  }

  function resume() {
    let kept = null;
    try {
      kept = JSON.parse(sessionStorage.getItem(KEY));
      sessionStorage.removeItem(KEY);
    } catch { /* as above */ }
    if (kept) {
      history.scrollRestoration = "manual";
      restore(kept);
    }
  }

  // --- problems ----------------------------------------------------------------------------------------------------

  function element(name, text, ...children) {
    const made = document.createElement(name);
    made.textContent = text;
    made.append(...children);
    return made;
  }

  function show(problems) {
    const old = document.getElementById("tallystick-problems");
    if (!problems.length) {
      if (old && old.localName === "aside") old.remove();
      return;
    }
    const items = problems.map((problem) => element("li", "",
      element("code", problem.where),
      `: expected ${problem.expected}, found ${problem.found}. ${problem.remedy} `,
      element("code", `[${problem.code}]`)));
    const box = document.createElement(old ? old.localName : "aside");
    box.id = "tallystick-problems";
    box.setAttribute("role", "alert");
    box.append(element("h1", "What was written last cannot be shown"), element("ol", "", ...items));
    if (old) old.replaceWith(box); else document.body.append(box);
  }

  // --- news --------------------------------------------------------------------------------------------------------

  // A page of which only style sheets are others than before stays: they change places once the new ones are there.
  function restyle(styles) {
    const links = [...document.querySelectorAll('link[rel="stylesheet"]:not([data-preview])')];
    if (links.length !== styles.length) return false;
    links.forEach((link, i) => {
      if (link.getAttribute("href") === styles[i]) return;
      const fresh = link.cloneNode();
      fresh.href = styles[i];
      fresh.addEventListener("load", () => link.remove());
      fresh.addEventListener("error", () => location.reload());
      link.after(fresh);
    });
    return true;
  }

  function hear(message) {
    const { page, problems } = JSON.parse(message.data);
    if (!page || (page.digest !== own.digest && !(page.rest === own.rest && restyle(page.styles)))) return reload();
    own.digest = page.digest;
    show(problems);
  }

  function listen() {
    // A hidden page holds no connection: browsers grant a server only six.
    if (document.hidden) {
      stream?.close();
      stream = null;
    } else if (!stream) {
      stream = new EventSource(`${own.events}?${encodeURIComponent(location.pathname)}`);
      stream.addEventListener("state", hear);
    }
  }

  document.addEventListener("visibilitychange", listen);
  addEventListener("pagehide", () => { stream?.close(); stream = null; });
  addEventListener("pageshow", listen);
  resume();
  listen();
})();
