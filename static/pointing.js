/* Pointing: after the button, the next tap on something that bears `data-point` shows it to the others and does nothing
   else; what others point at is marked. Without this file a list does the one and sentences the other. Knows no game. */
(() => {
  "use strict";
  const $ = (selector) => document.querySelector(selector);
  const $$ = (selector) => [...document.querySelectorAll(selector)];
  let aiming = false, listed = false;

  function aim(on) {
    const button = $("#point");
    aiming = on && Boolean(button);
    document.body.toggleAttribute("data-aiming", aiming);
    if (!button) return;
    button.hidden = false;
    button.setAttribute("aria-pressed", aiming);
  }
  function present() {
    for (const one of $$("[data-pointed]")) delete one.dataset.pointed;
    for (const flag of $$(".pointflag")) flag.remove();
    for (const { dataset, firstElementChild } of $$("#points [data-target]")) {
      for (const one of $$(`#table [data-point="${dataset.target}"]`)) {
        one.dataset.pointed = dataset.shape;
        const flag = firstElementChild.cloneNode(true);
        flag.classList.add("pointflag");
        one.append(flag);
      }
    }
    if (listed && $("#pointing")) $("#pointing").open = true;
    aim(aiming);
  }
  document.addEventListener("click", (event) => {
    if (event.target.closest("#point")) return aim(!aiming);
    const thing = aiming && event.target.closest("#table [data-point]");
    if (!thing) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    aim(false);
    $("#point-target").value = thing.dataset.point;
    $("#point-form").requestSubmit();
  }, true);
  document.addEventListener("keydown", (event) => {
    const { target, key } = event;
    if (key === "Escape") return aim(false);
    if (document.body.dataset.keys === "off" || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if ($("dialog[open]") || target.matches("input:not([type=checkbox]), textarea, select, [contenteditable]")) return;
    if (key.toLowerCase() === "p") $("#point")?.click();
  });
  // a swap leaves the list open while somebody looks for something in it
  document.addEventListener("htmx:before:swap", () => { listed = $("#pointing")?.open ?? false; });
  document.addEventListener("htmx:after:swap", present);
  present();
})();
