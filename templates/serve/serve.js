"use strict";
const found = (id) => document.getElementById(id);
const editor = document.querySelector(".editor .text");
const above = document.querySelector(".editor .above");
const refusal = found("refusal");
const spinner = document.querySelector(".spinner");
const state = found("state");
const trouble = found("trouble");
const panels = [...document.querySelectorAll("[data-panel]")];
// A browser sends what stands behind # to no server; this page sends it back to the one that printed it.
const token = location.hash.slice(1);

const PAUSE = 250;
const KEPT = "lngen definition";
const WORDS = { proving: "Derived; proving…", "writing the code": "Proved; writing the code…", "": "Almost done…" };

// The text, and where each text node of it begins. Typed lines end with \n; some commands of a browser make blocks of
// lines instead, with a <br> in an empty one.
const read = () => {
  const nodes = [];
  let text = "";
  const isBlock = (node) => node?.nodeName === "DIV";
  const visit = (node) => {
    const before = node.previousSibling;
    const broken = before?.nodeName === "BR" || before?.data?.endsWith("\n");
    if (isBlock(before) || (isBlock(node) && before && !broken)) text += "\n";
    if (node.nodeType === Node.TEXT_NODE) {
      nodes.push([text.length, node]);
      text += node.data;
    } else if (node.nodeName === "BR" && !(isBlock(node.parentNode) && node.parentNode !== editor && !before)) text += "\n";
    node.childNodes.forEach(visit);
  };
  editor.childNodes.forEach(visit);
  return { text, nodes };
};
const typed = () => read().text;

// The place of a line and a column, which count characters from 1, as a rectangle on the screen.
const rectangle = (line, column) => {
  const { text, nodes } = read();
  const lines = text.split("\n");
  const from = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
  const at = from + [...(lines[line - 1] ?? "")].slice(0, column - 1).join("").length;
  const range = document.createRange();
  const on = nodes.find(([start, node]) => start <= at && at < start + node.length);
  if (on) {
    range.setStart(on[1], at - on[0]);
    range.setEnd(on[1], at - on[0] + 1);
    const [rect] = range.getClientRects();
    if (rect) return rect;
  }
  // Past the last character of a line, which may be the last of all, and of an empty one.
  const last = nodes.findLast(([start, node]) => start < at && node.length && at <= start + node.length);
  if (!last || at === from) return new DOMRect(editor.getBoundingClientRect().left, editor.getBoundingClientRect().bottom - 1, 0, 1);
  range.setStart(last[1], at - last[0] - 1);
  range.setEnd(last[1], at - last[0]);
  const rect = [...range.getClientRects()].at(-1);
  return new DOMRect(rect.right, rect.top, 0, rect.height);
};

// A refusal stands under the row of its column: floats before the text leave the room for it.
let refused = null;
const place = () => {
  above.style.height = "0";
  refusal.hidden = true;
  if (!refused) return;
  const row = parseFloat(getComputedStyle(editor).lineHeight);
  const box = editor.getBoundingClientRect();
  const rect = rectangle(refused.line, refused.column);
  above.style.height = `${Math.round((rect.top - box.top + rect.height / 2) / row + 0.5) * row}px`;
  refusal.hidden = false;
  const caret = refusal.querySelector(".caret");
  caret.style.marginLeft = `${Math.max(0, Math.min(rect.left - box.left, box.width - caret.offsetWidth))}px`;
};
const element = (name, text, kind = "") => {
  const made = document.createElement(name);
  made.textContent = text;
  made.className = kind;
  return made;
};
const refuse = (answer) => {
  refused = answer;
  if (answer) {
    const caret = element("span", "^", "caret");
    caret.ariaHidden = "true";
    const where = `Line ${answer.line}, column ${answer.column}: ${answer.message}`;
    refusal.replaceChildren(caret, element("p", where), element("p", `Remedy: ${answer.remedy}`));
  } else refusal.replaceChildren();
  editor.ariaInvalid = String(Boolean(answer));
  place();
};
addEventListener("resize", place);

// Panels: those of an older text are dimmed until there are newer ones.
const stale = (on, chosen = panels) => {
  for (const panel of chosen) {
    panel.parentElement.classList.toggle("stale", on);
    panel.ariaBusy = String(on);
  }
};
const nameOf = (part) => part.querySelector("summary").textContent;
const fill = (panel, html) => {
  const opened = new Set([...panel.querySelectorAll("details[open]")].map(nameOf));
  const focused = panel.contains(document.activeElement) ? document.activeElement.textContent : null;
  panel.innerHTML = html;
  for (const part of panel.querySelectorAll("details")) part.open = opened.has(nameOf(part));
  if (focused !== null) [...panel.querySelectorAll("summary, button")].find((part) => part.textContent === focused)?.focus();
  panel.parentElement.hidden = false;
  reach(panel);
};
// What is too wide can be scrolled by keyboard too.
const reach = (root) => {
  for (const part of root.querySelectorAll(".equations, .equation, .contributions")) {
    if (part.scrollWidth <= part.clientWidth) continue;
    part.tabIndex = 0;
    part.role = "group";
    part.ariaLabel = "Formula";
  }
};
document.addEventListener("toggle", (event) => reach(event.target), { capture: true });

// What is under way is shown, and only what came of it is read aloud.
const say = (words, busy = false) => {
  state.ariaLive = busy ? "off" : "polite";
  if (state.textContent !== words) state.textContent = words;
  spinner.hidden = !busy;
};
const fail = (words) => {
  trouble.textContent = words;
  say("");
};

// An answer of the server; lngen.extensions.serve lists the kinds.
const take = (answer) => {
  if (answer.kind === "panels") {
    refuse(null);
    for (const panel of panels) {
      const html = answer.panels[panel.dataset.panel];
      if (html === undefined) continue;
      fill(panel, html);
      stale(false, [panel]);
    }
    say(WORDS[answer.next] ?? answer.next, true);
  } else if (answer.kind === "refused") {
    refuse(answer);
    say(`Refused at line ${answer.line}, column ${answer.column}.`);
  } else if (answer.kind === "stopped") {
    refuse(null);
    fail(answer.message);
  } else if (answer.kind === "replaced") say("Another page of this server sent a newer text. Type to go on here.");
  else if (answer.kind === "done") say(`Derived, proved and written in ${answer.seconds} s.`);
};

let running = new AbortController();
const derive = async () => {
  running.abort();
  running = new AbortController();
  const { signal } = running;
  const text = typed();
  sessionStorage.setItem(KEPT, text);
  if (!text.trim()) {
    refuse(null);
    say("Type a definition, or choose an example.");
    return;
  }
  say("Deriving…", true);
  try {
    const headers = { "Content-Type": "application/json", "X-Lngen-Token": token };
    const response = await fetch("/derive", { method: "POST", headers, body: JSON.stringify({ text }), signal });
    if (!response.ok) {
      fail(response.status === 413 ? "This text is longer than a definition may be." : await response.text());
      return;
    }
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const lines = (rest + part.value).split("\n");
      rest = lines.pop();
      for (const line of lines) take(JSON.parse(line));
    }
  } catch (error) {
    if (!signal.aborted) fail(`The server does not answer: start \`lngen serve\` again. (${error.message})`);
  }
};

let waiting = 0;
const changed = () => {
  clearTimeout(waiting);
  running.abort();
  stale(true);
  trouble.textContent = "";
  say("Waiting for a pause…", true);
  waiting = setTimeout(derive, PAUSE);
};
editor.addEventListener("input", changed);

// As if it were typed: so it can be undone, and is one text node with its ends of lines.
const insert = (text) => {
  const lines = text.replaceAll("\r\n", "\n");
  return document.execCommand("insertHTML", false, new Option(lines).innerHTML) || document.execCommand("insertText", false, lines);
};
editor.addEventListener("paste", (event) => {
  event.preventDefault();
  insert(event.clipboardData.getData("text/plain"));
});
const example = found("example");
example.addEventListener("change", () => {
  const { text } = example.selectedOptions[0].dataset;
  if (text === undefined) return;
  getSelection().selectAllChildren(editor);
  insert(text.trimEnd()); // a browser shows no empty last line
  example.focus();
});

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const name = button.ariaLabel.replace("Copy ", "");
  try {
    await navigator.clipboard.writeText(button.parentElement.querySelector("pre").textContent);
    say(`Copied ${name}.`);
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 2000);
  } catch {
    fail("The browser did not let this page copy. Open the file below and select its text.");
  }
});
// The address keeps the token, so a jump within the page is made without it.
document.querySelector("[data-skip]").addEventListener("click", (event) => {
  event.preventDefault();
  found("results").focus();
});

if (!editor.isContentEditable) editor.contentEditable = "true"; // a browser that does not know plaintext-only
refuse(null);
if (!token) fail("This address is not whole: open the one that `lngen serve` printed.");
editor.textContent = sessionStorage.getItem(KEPT) ?? "";
if (token && typed()) derive();
