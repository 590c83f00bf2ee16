const every = (selector, root = document) => [...root.querySelectorAll(selector)];
const found = (id) => document.getElementById(id);

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

// Steps.
const steps = every(".step");
for (const button of every("[data-all]")) {
  button.parentElement.hidden = false;
  button.addEventListener("click", () => steps.forEach((step) => (step.firstElementChild.open = button.dataset.all === "open")));
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

// What is too wide says so, and can be scrolled by keyboard too.
const reach = () => {
  for (const part of every(".scroll, .equations, .equation, .contributions, .names dd > span")) {
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
const links = new Map(every("nav a[href^='#']").map((link) => [link.hash.slice(1), link]));
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
