// @ts-check
// What makes the pages quicker to use. All of them work without it.

/** Says something to everybody, also to those who listen.
 * @param {string} text */
function say(text) {
  const place = document.getElementById("said");
  if (place) place.textContent = text;
}

/** @template {Element} T
 * @param {ParentNode} root @param {string} selector @param {new () => T} kind
 * @returns {T[]} */
function all(root, selector, kind) {
  return [...root.querySelectorAll(selector)].filter((found) => found instanceof kind).map((found) => /** @type {T} */ (found));
}

/** Sends a form whenever an answer changes, so that nothing is lost.
 * @param {HTMLFormElement} form */
function saveAtOnce(form) {
  let before = Promise.resolve();
  form.addEventListener("change", () => {
    // One after the other, so that the last answer is the one that stays.
    before = before.then(save);
  });
  async function save() {
    const answers = new URLSearchParams();
    for (const [name, value] of new FormData(form)) answers.append(name, String(value));
    answers.set("then", "stay");
    const place = document.getElementById("said");
    try {
      // An answer is kept even where somebody goes on at once.
      const answer = await fetch(form.action, { method: "POST", body: answers, keepalive: true });
      if (answer.ok) await refresh(form.dataset.save);
      say((answer.ok ? place?.dataset.saved : place?.dataset.unsaved) ?? "");
    } catch {
      say(place?.dataset.unsaved ?? "");
    }
  }
}

/** Shows anew what depends on the answers.
 * @param {string | undefined} id */
async function refresh(id) {
  const place = id ? document.getElementById(id) : null;
  if (!place) return;
  const page = new DOMParser().parseFromString(await (await fetch(location.href)).text(), "text/html");
  place.replaceChildren(...(page.getElementById(place.id)?.childNodes ?? []));
}

/** Takes a table that is dropped, and shows how much of it was sent.
 * @param {HTMLFormElement} form */
function takeDropped(form) {
  const [file] = all(form, "input[type=file]", HTMLInputElement);
  const [bar] = all(form, "progress", HTMLProgressElement);
  const [alert] = all(form, "[role=alert]", HTMLElement);
  if (!file || !bar || !alert) return;
  const highlight = (/** @type {DragEvent} */ event, /** @type {boolean} */ on) => {
    event.preventDefault();
    form.classList.toggle("over", on);
  };
  form.addEventListener("dragover", (event) => highlight(event, true));
  form.addEventListener("dragleave", (event) => highlight(event, false));
  form.addEventListener("drop", (event) => {
    highlight(event, false);
    if (event.dataTransfer?.files.length) {
      file.files = event.dataTransfer.files;
      form.requestSubmit();
    }
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const request = new XMLHttpRequest();
    request.open("POST", form.action);
    request.setRequestHeader("X-Sent-By", "script");
    bar.hidden = false;
    alert.hidden = true;
    request.upload.addEventListener("progress", (sent) => {
      if (sent.lengthComputable) bar.value = (100 * sent.loaded) / sent.total;
    });
    request.addEventListener("loadend", () => {
      bar.hidden = true;
      if (request.status === 200) {
        location.assign(request.responseText);
        return;
      }
      const page = new DOMParser().parseFromString(request.responseText, "text/html");
      alert.textContent = page.querySelector(".failure b")?.textContent ?? document.getElementById("said")?.dataset.unsaved ?? "";
      alert.hidden = false;
    });
    request.send(new FormData(form));
  });
}

/** Asks until a table was looked at.
 * @param {HTMLElement} place */
async function wait(place) {
  const address = place.dataset.wait ?? "";
  for (let pause = 100; ; pause = Math.min(2 * pause, 400)) {
    await new Promise((resolve) => setTimeout(resolve, pause));
    try {
      if ((await fetch(address)).status !== 202) break;
    } catch {
      // The server may be starting again.
    }
  }
  location.reload();
}

/** Shows where a run is, until it is over.
 * @param {HTMLElement} place */
function watch(place) {
  const events = new EventSource(`${place.dataset.run}/events`);
  const [bar] = all(place, "progress", HTMLProgressElement);
  const [time] = all(place, "[data-time]", HTMLElement);
  const phases = all(place, "[data-phase]", HTMLElement);
  let shown = "";
  events.addEventListener("sight", (event) => {
    /** @type {{phase: string, done: number, total: number, rows: number, seconds: number, left: number | null}} */
    const sight = JSON.parse(event.data);
    const at = phases.findIndex((phase) => phase.dataset.phase === sight.phase);
    phases.forEach((phase, number) => {
      phase.classList.toggle("done", number < at);
      if (number === at) phase.setAttribute("aria-current", "step");
      else phase.removeAttribute("aria-current");
    });
    if (sight.phase !== shown) {
      shown = sight.phase;
      say(phases[at]?.textContent ?? "");
    }
    if (sight.total > 0) {
      bar.max = 1000;
      bar.value = (1000 * sight.done) / sight.total;
    } else bar.removeAttribute("value");
    const left = sight.left === null ? place.dataset.unknown : `${Math.ceil(sight.left)} ${place.dataset.left}`;
    time.textContent = `${Math.round(sight.seconds)} s. ${left}`;
  });
  events.addEventListener("over", () => {
    events.close();
    location.reload();
  });
}

/** Moves a line of a tree onto a group by dragging.
 * @param {HTMLFormElement} form */
function drag(form) {
  const [to] = all(form, "input[name=to]", HTMLInputElement);
  const [move] = all(form, "button[value=move]", HTMLButtonElement);
  /** @type {HTMLElement | null} */
  let dragged = null;
  for (const line of all(form, "label[data-label]", HTMLElement)) {
    line.addEventListener("dragstart", () => (dragged = line));
    line.addEventListener("dragover", (event) => {
      if (dragged && Number(line.dataset.level) === Number(dragged.dataset.level) + 1) event.preventDefault();
    });
    line.addEventListener("drop", (event) => {
      event.preventDefault();
      const [pick] = dragged ? all(dragged, "input", HTMLInputElement) : [];
      if (!pick || !to || !move) return;
      pick.checked = true;
      to.value = line.dataset.label ?? "";
      form.requestSubmit(move);
    });
  }
}

/** Lets the points of a picture be seen one by one: by pointing at them, or by the arrow keys.
 * @param {HTMLElement} figure */
function points(figure) {
  const marks = all(figure, ".mark, .point", SVGElement);
  const [shown] = all(figure, "[data-pointed]", HTMLElement);
  const [picture] = all(figure, "svg", SVGElement);
  if (!marks.length || !shown || !picture) return;
  // What can be reached in a picture is no part of an image.
  picture.setAttribute("role", "group");
  const name = (/** @type {SVGElement} */ mark) => mark.querySelector("title")?.textContent ?? "";
  const chosen = Math.max(marks.findIndex((mark) => mark.dataset.mark !== undefined && mark.dataset.mark === figure.dataset.chosen), 0);
  marks.forEach((mark, number) => {
    mark.setAttribute("tabindex", number === chosen ? "0" : "-1");
    mark.setAttribute("role", figure.dataset.chooses ? "button" : "img");
    mark.setAttribute("aria-label", name(mark));
    mark.classList.toggle("now", figure.dataset.chosen !== undefined && mark.dataset.mark === figure.dataset.chosen);
  });
  /** @param {EventTarget | null} target */
  const markOf = (target) => (target instanceof Element ? marks.findIndex((mark) => mark.contains(target)) : -1);
  const show = (/** @type {Event} */ event) => {
    const at = markOf(event.target);
    if (at >= 0) shown.textContent = name(marks[at]);
  };
  const choose = (/** @type {Event} */ event) => {
    const at = markOf(event.target);
    const form = document.getElementById("safety");
    if (at < 0 || !figure.dataset.chooses || !(form instanceof HTMLFormElement)) return;
    event.preventDefault();
    const button = document.createElement("button");
    Object.assign(button, { name: figure.dataset.chooses, value: marks[at].dataset.mark ?? "", hidden: true });
    form.append(button);
    form.requestSubmit(button);
  };
  figure.addEventListener("pointerover", show);
  figure.addEventListener("focusin", show);
  figure.addEventListener("click", choose);
  figure.addEventListener("keydown", (event) => {
    const at = markOf(event.target);
    const last = marks.length - 1;
    /** @type {Record<string, number>} */
    const places = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: last };
    if (at < 0) return;
    if (event.key === "Enter" || event.key === " ") choose(event);
    const next = marks[Math.min(Math.max(places[event.key] ?? -1, 0), last)];
    if (places[event.key] === undefined) return;
    event.preventDefault();
    marks[at].setAttribute("tabindex", "-1");
    next.setAttribute("tabindex", "0");
    next.focus();
  });
}

/** @param {HTMLButtonElement} button */
function copies(button) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const text = document.getElementById(button.dataset.copy ?? "")?.textContent ?? "";
    await navigator.clipboard.writeText(text);
    button.textContent = button.dataset.done ?? "";
  });
}

/** Opens what an address points into. */
function openTarget() {
  const target = location.hash ? document.getElementById(location.hash.slice(1)) : null;
  if (target instanceof HTMLDetailsElement) target.open = true;
}

all(document, "form[data-save]", HTMLFormElement).forEach(saveAtOnce);
all(document, "form[data-drop]", HTMLFormElement).forEach(takeDropped);
all(document, "[data-wait]", HTMLElement).forEach(wait);
all(document, "[data-run]", HTMLElement).forEach(watch);
all(document, "form[data-tree]", HTMLFormElement).forEach(drag);
all(document, "figure[data-points]", HTMLElement).forEach(points);
all(document, "button[data-copy]", HTMLButtonElement).forEach(copies);
openTarget();
