const every = (selector, root = document) => [...root.querySelectorAll(selector)];
const found = (id) => document.getElementById(id);
const given = JSON.parse(found("panel-data").textContent);

// In code a name is its own word.
for (const word of every(".listing u")) word.dataset.name = word.textContent;

// Names: what one stands for, and where else it is.
const meaning = document.querySelector(".meaning");
let shown = null;
const mark = (name, on) => {
  for (const part of every(`[data-name="${name}"], [data-ends~="${name}"]`)) part.classList.toggle("lit", on);
};
const hide = () => {
  if (shown !== null) mark(shown, false);
  shown = null;
  meaning.hidden = true;
};
const show = (part) => {
  const { name } = part.dataset;
  const entry = found(`name-${name}`);
  if (!entry) return;
  if (shown !== name) {
    hide();
    mark(name, true);
    shown = name;
  }
  const parts = [...entry.querySelector("dd").childNodes].map((node) => node.cloneNode(true));
  parts.unshift(entry.querySelector("math").cloneNode(true), " ");
  parts.push(" ", entry.querySelector("code").cloneNode(true));
  meaning.replaceChildren(...parts);
  for (const inner of every("a", meaning)) inner.replaceWith(...inner.childNodes);
  meaning.hidden = Boolean(part.closest("#names"));
  const at = part.getBoundingClientRect();
  const size = meaning.getBoundingClientRect();
  const below = at.bottom + 10 + size.height < innerHeight;
  meaning.style.left = `${Math.max(16, Math.min(at.left, innerWidth - size.width - 16))}px`;
  meaning.style.top = `${below ? at.bottom + 10 : Math.max(8, at.top - size.height - 10)}px`;
};
document.addEventListener("pointerover", (event) => {
  const part = event.target.closest("[data-name]");
  if (part) show(part);
  else if (!event.target.closest(".meaning")) hide();
});
document.addEventListener("focusin", (event) => (event.target.closest("[data-name]") ? show(event.target.closest("[data-name]")) : hide()));
document.addEventListener("keydown", (event) => event.key === "Escape" && hide());
const scrolled = () => document.activeElement.dataset.name !== shown && hide();
document.addEventListener("scroll", scrolled, { passive: true, capture: true });
document.addEventListener("click", (event) => {
  const part = event.target.closest("[data-name]");
  if (!part) return;
  show(part);
});

// Steps, and the lines of code that come from them.
const steps = every(".step");
for (const button of every("[data-all]")) {
  button.parentElement.hidden = false;
  button.addEventListener("click", () => steps.forEach((step) => (step.firstElementChild.open = button.dataset.all === "open")));
}
const current = (step) => {
  for (const line of every(".listing .current")) line.classList.remove("current");
  if (step) for (const line of every(`.listing [data-step="${step}"]`)) line.classList.add("current");
};
for (const step of steps) {
  step.addEventListener("pointerenter", () => current(step.dataset.step));
  step.addEventListener("pointerleave", () => current(null));
  step.addEventListener("focusin", () => current(step.dataset.step));
}
const reveal = () => {
  const target = location.hash.length > 1 && found(location.hash.slice(1));
  if (!target) return;
  if (target.matches(".step")) target.firstElementChild.open = true;
  for (let part = target; part; part = part.parentElement) if (part.tagName === "DETAILS") part.open = true;
  target.scrollIntoView({ block: "nearest" });
};
addEventListener("hashchange", reveal);
reveal();
// Copying: where there is no clipboard for a page, by a field that is selected.
const copied = (text) => {
  const field = document.createElement("textarea");
  field.value = text;
  field.ariaLabel = "What is copied";
  document.body.append(field);
  const before = document.activeElement;
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  before.focus();
  return done;
};
const copy = async (text) => {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copied(text);
  }
};
for (const button of every("[data-copy]")) {
  button.parentElement.hidden = false;
  button.addEventListener("click", async () => {
    const said = button.parentElement.querySelector(".copied");
    const done = await copy(given.copies[button.dataset.copy]);
    said.textContent = done ? `${button.textContent === "Copy" ? "The command" : button.textContent} is copied.` : "The browser does not let a page copy.";
  });
}

// What is too wide says so, and can be scrolled by keyboard too.
const reach = () => {
  for (const part of every(".scroll, .listing, .equations, .equation, .contributions, .names dd > span")) {
    const wide = part.scrollWidth > part.clientWidth + 1;
    part.toggleAttribute("data-wide", wide);
    if (!wide || part.tabIndex === 0) continue;
    part.tabIndex = 0;
    part.role = "group";
    part.ariaLabel = "Formula";
  }
};
document.addEventListener("toggle", reach, { capture: true });
addEventListener("resize", reach);
document.fonts.ready.then(reach);
reach();

// Where the reader is.
const links = new Map(every("nav a[href^='#']:not([href='#code'])").map((link) => [link.hash.slice(1), link]));
const seen = new IntersectionObserver(
  (entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      for (const link of links.values()) link.removeAttribute("aria-current");
      links.get(entry.target.id).setAttribute("aria-current", "true");
    }
  },
  { rootMargin: "-10% 0px -80% 0px" },
);
for (const id of links.keys()) if (found(id)) seen.observe(found(id));

// The panel.
const form = document.querySelector(".panel");
const first = { Row: [1, -2, 3, 0.5], Data: [1, 0, 1, 1], cotangent: [1, -0.5, 2, 0.25] };
const fields = new Map();
for (const argument of given.arguments) {
  const label = document.createElement("label");
  const field = document.createElement("input");
  field.name = argument.name;
  field.inputMode = "text";
  field.autocomplete = "off";
  field.spellcheck = false;
  const numbers = argument.perFeature ? first[argument.kind] : undefined;
  field.value = numbers ? numbers.join(" ") : String(argument.default ?? 1);
  if (numbers) numbers.push(numbers.shift());
  const name = document.createElement("code");
  name.textContent = argument.name;
  label.append(name, ` ${argument.kind}`, field);
  form.querySelector(".fields").append(label);
  fields.set(argument.name, field);
}
const numbersOf = (argument) => {
  const words = fields.get(argument.name).value.split(/[\s,;]+/).filter(Boolean);
  const numbers = words.map(Number);
  const wrong = words.find((word, at) => Number.isNaN(numbers[at]));
  if (wrong !== undefined) throw new Error(`${argument.name}: ${wrong} is not a number.`);
  if (numbers.length === 0) throw new Error(`${argument.name}: type a number.`);
  if (!argument.perFeature && numbers.length > 1) throw new Error(`${argument.name}: ${numbers.length} numbers; pass one.`);
  if (argument.kind === "Constant" && !Number.isFinite(numbers[0])) throw new Error(`${argument.name} is ${words[0]}; pass a finite number.`);
  if (argument.sign === "nonnegative" && numbers[0] < 0) throw new Error(`${argument.name} is ${words[0]}; pass 0 or more.`);
  return numbers;
};
const values = () => {
  const typed = new Map(given.arguments.map((argument) => [argument, numbersOf(argument)]));
  const D = Math.max(given.minimumFeatures, ...[...typed.values()].map((numbers) => numbers.length));
  const v = { D };
  for (const [argument, numbers] of typed) {
    if (argument.perFeature && numbers.length !== 1 && numbers.length !== D) {
      throw new Error(`${argument.name}: ${numbers.length} numbers, and the row has ${D} features.`);
    }
    v[argument.name] = argument.perFeature ? f.each(D, (i) => numbers[numbers.length === 1 ? 0 : i]) : numbers[0];
  }
  return evaluate(v);
};
const shortly = (number) => String(Number(number.toPrecision(6)));
// Where a result is no number, the first value without one says why.
const undefinedFrom = (v) => {
  const isBad = (value) => [v[value.name]].flatMap((numbers) => (value.perFeature ? [...numbers] : numbers)).some((number) => !Number.isFinite(number));
  const results = given.values.filter((value) => value.result && isBad(value)).map((value) => value.name);
  if (results.length === 0) return "";
  const first = given.values.find(isBad);
  return `${first.name} = ${first.formula} is not finite for this row, and ${results.join(", ")} ${results.length === 1 ? "follows" : "follow"} from it. The emitted code gives the same.`;
};
const compute = () => {
  const message = form.querySelector(".message");
  const undefinedNote = form.querySelector(".undefined");
  const table = form.querySelector(".values");
  try {
    const v = values();
    const rows = given.values.map((value) => {
      const numbers = value.perFeature ? [...v[value.name]] : [v[value.name]];
      const row = document.createElement("tr");
      const name = document.createElement("th");
      const cell = document.createElement("td");
      name.scope = "row";
      name.title = `${value.name} = ${value.formula}`;
      const code = document.createElement("code");
      code.textContent = value.name;
      name.append(found(`name-${value.name}`).querySelector("math").cloneNode(true), " ", code);
      for (const number of numbers) {
        const part = document.createElement("span");
        part.textContent = shortly(number);
        cell.append(part, " ");
      }
      row.dataset.value = value.name;
      row.classList.toggle("result", value.result);
      row.append(name, cell);
      return row;
    });
    form.querySelector("tbody").replaceChildren(...rows);
    message.textContent = "";
    undefinedNote.textContent = undefinedFrom(v);
    table.classList.remove("stale");
  } catch (error) {
    message.textContent = `${error.message} The values below are those of the last row that was right.`;
    undefinedNote.textContent = "";
    table.classList.add("stale");
  }
};
form.hidden = false;
form.addEventListener("input", compute);
form.addEventListener("submit", (event) => event.preventDefault());
compute();
