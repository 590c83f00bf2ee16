"use strict";
const entries = [...document.querySelectorAll(".layers > li")];
const field = document.getElementById("search");
const count = document.getElementById("count");
const filter = () => {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const entry of entries) {
    entry.hidden = !words.every((word) => entry.dataset.words.includes(word));
    if (!entry.hidden) shown += 1;
  }
  const none = `No layer has ${field.value.trim()} in its name, its title or a formula. Of a formula a part is enough: sqrt, mean(x).`;
  count.textContent = shown === 0 ? none : `${shown} of ${entries.length} layer${entries.length === 1 ? "" : "s"}`;
};
field.form.hidden = false;
field.form.addEventListener("submit", (event) => {
  event.preventDefault();
  entries.find((entry) => !entry.hidden)?.querySelector("a").click();
});
field.addEventListener("input", filter);
