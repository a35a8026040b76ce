/* Knobel in the browser. Everything works without this file: it keeps what you hold, watches the connection, moves the
   focus, reads keys. Nothing here knows a game: games speak through ids, names and data attributes. Uses htmx. */
(() => {
  "use strict";
  const $ = (selector, root = document) => root.querySelector(selector);
  const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
  const words = document.body.dataset;
  const live = $("#live");
  const now = () => Date.now();

  /* ---- 1 held dice: kept for this table and this question, over swaps and reloads ---- */
  const store = live && `held ${live.dataset.path}`;
  const forget = () => store && sessionStorage.removeItem(store);

  function keepHolds() {
    const held = $$("#table input[name=hold]:checked").map((box) => box.value);
    sessionStorage.setItem(store, `${$("#table").dataset.token}:${held}`);
  }
  function restoreHolds() {
    const { token } = $("#table").dataset;
    if (!token) return forget();
    const [saved, held = ""] = (sessionStorage.getItem(store) || "").split(":");
    for (const box of $$("#table input[name=hold]"))
      box.checked = saved === token ? held.split(",").includes(box.value) : box.defaultChecked;
  }
  function labelRoll() {
    for (const button of $$("[data-roll]")) {
      const left = $$(`input[name=${button.dataset.roll}]:not(:checked)`, button.form).length;
      $("[data-label]", button).textContent = button.getAttribute(`data-label-${left}`);
      left ? button.removeAttribute("aria-disabled") : button.setAttribute("aria-disabled", "true");
    }
  }
  document.addEventListener("change", (event) => {
    if (event.target.name === "hold" && live) { keepHolds(); labelRoll(); }
    if (event.target.id === "step") go(`${$("#replay").dataset.path}?step=${event.target.value}${$("#replay").dataset.eyes}`, true);
  });

  /* ---- 2 sending: once, seen, and never silently lost ---- */
  let sent = 0, sender = "", pressed = null, pressTimer = 0;
  function refuse(event) { event.preventDefault(); event.stopImmediatePropagation(); }

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    if (button.getAttribute("aria-disabled") === "true") refuse(event);
    // the second half of a double click, even if another button has come under the finger meanwhile
    else if (button.type === "submit" && (event.detail > 1 ? now() - sent < 600 : sender === button.id && now() - sent < 80)) refuse(event);
  }, true);
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.matches("[data-leave]")) forget();
    if (form.matches("[data-goes]")) next = null;  // its answer goes there; going twice would break off the first
    if (form.method === "post" && !form.matches("[hx-post]")) {
      if (form.dataset.sent) return refuse(event);
      form.dataset.sent = "yes";
      setTimeout(() => delete form.dataset.sent, 8000);
    }
    sent = now();
    sender = event.submitter?.id;
  }, true);
  const released = () => { clearTimeout(pressTimer); pressed?.classList.remove("is-waiting"); pressed = null; };

  document.addEventListener("htmx:before:request", ({ detail: { ctx } }) => {
    if (ctx.request.method !== "POST") return;
    if (lost) ctx.request.signal = AbortSignal.any?.([ctx.request.signal, AbortSignal.timeout(2500)]) ?? ctx.request.signal;
    pressed = ctx.request.submitter;
    pressTimer = setTimeout(() => pressed?.classList.add("is-waiting"), 300);
  });
  document.addEventListener("htmx:finally:request", ({ detail: { ctx } }) => { if (ctx.request.method === "POST") released(); });
  document.addEventListener("htmx:error", ({ detail: { ctx } }) => {
    if (ctx?.request.method === "POST") { tell(words.sayUnsent); if (live) kick(); }
    else if (ctx?.sourceElement === live) lose();
  });

  /* ---- 3 swaps: only whole tables; then title, icon, sound, focus ---- */
  let focused = "", asked, opened = [], turn = false, status = "", next;
  document.addEventListener("htmx:before:swap", (event) => {
    const { ctx, tasks } = event.detail;
    focused = document.activeElement?.closest("#table") ? document.activeElement.id : "";
    asked = $("#table")?.dataset.token;
    opened = $$("#table details[open]").map((one) => one.id);
    const task = tasks.find((one) => one.type === "main");
    if (task?.target?.id !== "table") return;
    const whole = task.fragment.firstElementChild?.id === "table";
    if (ctx.swap !== "none" && whole) return;
    event.preventDefault();
    if (ctx.request.method !== "POST") return;
    if (ctx.response.status < 400) location.assign(ctx.response.raw.url);
    else tell(words.sayFailed);
  });
  document.addEventListener("htmx:after:swap", () => {
    // what somebody has opened stays open while others move
    if (asked === $("#table")?.dataset.token) for (const one of $$("#table details")) one.open ||= opened.includes(one.id);
    present();
    follow();
    if (focused && document.activeElement === document.body)
      ([document.getElementById(focused), $("#roll")].find((one) => one?.checkVisibility()) ?? $("#turn"))?.focus({ preventScroll: true });
  });

  // a new stage begins at its top; a rematch that has just been made takes everybody along
  function follow() {
    const table = $("#table")?.dataset;
    if (!table || !live) return;
    if (status && status !== table.status) scrollTo(0, 0);
    if (next === "" && table.next) location.assign(table.next);
    status = table.status;
    next = table.next ?? (next === null ? null : "");
  }

  function present() {
    for (const button of $$("[data-copy]")) button.hidden = false;
    for (const button of $$("[data-share]")) button.hidden = !navigator.share;
    const table = $("#table");
    if (table && live) {
      restoreHolds();
      labelRoll();
      document.title = table.dataset.title;
      const mine = table.dataset.turn === "you";
      const icon = $("#favicon");
      if (icon.getAttribute("href") !== icon.dataset[mine ? "turn" : "plain"]) icon.href = icon.dataset[mine ? "turn" : "plain"];
      if (mine && turn === null) chime();
      turn = mine || null;
      made = performance.now();
      countDown();
      showNet();
    }
    play();
  }
  function chime() {
    if (words.sound !== "on" || document.hidden || !document.hasFocus() || !navigator.userActivation?.hasBeenActive) return;
    const audio = new AudioContext();
    for (const [pitch, start] of [[523, 0], [784, 0.13]]) {
      const tone = audio.createOscillator(), gain = audio.createGain(), at = audio.currentTime + start;
      tone.frequency.value = pitch;
      gain.gain.setValueAtTime(0, at);
      gain.gain.linearRampToValueAtTime(0.07, at + 0.02);
      gain.gain.exponentialRampToValueAtTime(0.0005, at + 0.5);
      tone.connect(gain).connect(audio.destination);
      tone.start(at);
      tone.stop(at + 0.5);
    }
    setTimeout(() => audio.close(), 1000);
  }

  // deadlines: counted down from when the page was made, and shown in the time of this place
  let made = performance.now();
  function countDown() {
    for (const time of $$("time[data-left]")) {
      const left = Math.max(0, Math.round(+time.dataset.left - (performance.now() - made) / 1000));
      const [days, hours, minutes] = [left / 86400, (left / 3600) % 24, (left / 60) % 60].map(Math.floor);
      const two = (n) => String(n).padStart(2, "0");
      const short = left < 86400;
      const at = new Date(time.dateTime).toLocaleString(document.documentElement.lang, short
        ? { hour: "2-digit", minute: "2-digit", second: left < 3600 ? "2-digit" : undefined, timeZoneName: "short" }
        : { weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", timeZoneName: "short" });
      const counted = days ? `${days} d ${hours} h` : hours ? `${hours}:${two(minutes)} h` : `${minutes}:${two(left % 60)}`;
      const text = `${counted} (${at})`, label = $("span", time);
      if (label.textContent !== text) label.textContent = text;
      time.classList.toggle("is-short", left < 10);
    }
  }

  /* ---- 4 connection: a beat every second, or words at once and a fresh stream ---- */
  let heard = now(), lost = 0, deaf = 0, polling = false, polled = 0, told = "", toldTimer = 0;
  function showNet() {
    const net = $("#net");
    if (!net) return;
    const long = lost && now() - lost > 4500;
    const text = told || (lost ? (long ? words.sayLong : words.sayLost) : "");
    net.hidden = !text;
    if ($("[data-text]", net).textContent !== text) $("[data-text]", net).textContent = text;
    $("a", net).hidden = !long;
  }
  function tell(text) {
    told = text;
    clearTimeout(toldTimer);
    toldTimer = setTimeout(() => { told = ""; showNet(); }, 5000);
    showNet();
  }
  function lose() { lost ||= now(); showNet(); }
  function hear() { heard = now(); deaf = 0; if (lost) { lost = 0; told = ""; showNet(); } }
  function soon() { Object.assign(live._htmx?.sse?.config ?? {}, htmx.config.sse); }
  function connect() { if (!polling && !document.hidden) htmx.trigger(live, "connect"); }

  // hx-sse keeps its connection on the element: end what hangs, skip what waits, and connect at once
  function kick() {
    const sse = live._htmx?.sse;
    if (!sse) { htmx.trigger(live, "htmx:abort"); setTimeout(connect, 50); return; }
    if (sse.delayCanceller) return sse.delayCanceller();
    if (!sse.reader) { sse.abortController?.abort(); setTimeout(connect, 50); return; }
    sse.reader.cancel().catch(() => {});
    setTimeout(() => live._htmx?.sse?.delayCanceller?.(), 30);
  }
  function refetch() {
    polled = now();
    return htmx.ajax("GET", live.dataset.live, { source: "#stage", target: "#table", swap: "outerMorph" });
  }
  function watch() {
    if (document.hidden) return;
    if (polling) { if (now() - polled >= 2000) refetch(); if (now() - heard > 6000) lose(); }
    else if (!live._htmx?.sse) connect();
    if (!polling && now() - heard > 2800) {
      const first = !lost, silent = live._htmx?.sse?.reader;
      lose();
      if (silent && ++deaf > 2) polling = true;  // connected, but nothing comes through: something on the way holds it back
      if (first || silent) { heard = now(); kick(); }
    }
    if (lost) showNet();
  }
  if (live) {
    live.addEventListener("htmx:sse:before:connection", ({ detail }) => { if (polling) detail.connection.cancelled = true; });
    live.addEventListener("htmx:sse:after:connection", () => { if (!deaf) hear(); soon(); });
    live.addEventListener("htmx:sse:before:message", hear);
    live.addEventListener("htmx:sse:error", () => { lose(); soon(); });
    live.addEventListener("htmx:response:error", lose);
    // the server starts anew and says after how many ms this page, one of many, may come back: until then silence is right
    live.addEventListener("restart", ({ detail }) => {
      const wait = +detail.data || 0;
      heard = now() + wait;
      Object.assign(live._htmx?.sse?.config ?? {}, { reconnectDelay: wait, reconnectMaxDelay: wait });
    });
    live.addEventListener("poll", () => { polling = true; hear(); });
    document.addEventListener("htmx:after:request", ({ detail: { ctx } }) => { if (polling && ctx.response.status < 500) hear(); });
    window.addEventListener("focus", () => { if (polling) { polling = false; heard = now(); connect(); } });
    window.addEventListener("offline", () => { lose(); kick(); });
    window.addEventListener("online", kick);
    document.addEventListener("visibilitychange", () => { if (!document.hidden) { heard = now(); kick(); } });
    setInterval(watch, 500);
    setInterval(countDown, 1000);
  }
  window.addEventListener("pageshow", (event) => {
    for (const form of $$("form[data-sent]")) delete form.dataset.sent;
    if (!event.persisted) return;
    if (!live) return location.reload();
    heard = now();
    refetch();
    kick();
  });

  /* ---- 5 links that open something: drawers, copy, share ---- */
  function open(id) { $(`dialog#${id}`)?.showModal(); }
  async function copy(button) {
    const field = document.getElementById(button.dataset.copy), label = $("span", button), before = label.textContent;
    let done = false;
    try { await navigator.clipboard.writeText(field.value); done = true; }
    catch { field.focus(); field.select(); done = document.execCommand("copy"); }  // plain http in the local network
    if (!done || before === words.sayCopied) return;
    label.textContent = words.sayCopied;
    setTimeout(() => { label.textContent = before; }, 2500);
  }
  document.addEventListener("click", (event) => {
    const at = (selector) => event.target.closest(selector);
    const plain = !event.ctrlKey && !event.metaKey && !event.shiftKey;
    if (at("[data-open]")) { event.preventDefault(); open(at("[data-open]").dataset.open); }
    else if (at("[data-close]")) { event.preventDefault(); at("dialog").close(); }
    else if (at("[data-copy]")) copy(at("[data-copy]"));
    else if (at("[data-share]")) {
      const { share, title } = at("[data-share]").dataset;
      navigator.share({ title, url: document.getElementById(share).value }).catch(() => {});
    }
    else if (plain && at("#replay a[href*='step=']")) { event.preventDefault(); go(at("a").href, true); }
  });

  /* ---- 6 replay: steps are pages, shown without leaving the page ---- */
  let playTimer = 0;
  async function go(url, push) {
    clearTimeout(playTimer);
    history[push ? "pushState" : "replaceState"](null, "", url);
    await htmx.ajax("GET", url, { source: "#replay", target: "#replay", select: "#replay", swap: "outerMorph" });
  }
  function play() {
    clearTimeout(playTimer);
    const mark = $("#now"), list = $("#moves");
    if (mark) list.scrollTop = mark.offsetTop - list.clientHeight / 2;
    const { playing, path, step, steps, eyes } = $("#replay")?.dataset ?? {};
    if (playing !== undefined && +step < +steps) playTimer = setTimeout(() => go(`${path}?step=${+step + 1}&play=1${eyes}`, false), 1200);
  }
  window.addEventListener("popstate", () => { if ($("#replay[data-path]")) go(location.href, false); });

  /* ---- 7 keys ---- */
  function move(key) {
    const all = $$("#table :is([data-nav], [data-choice])").filter((one) => one.checkVisibility()), here = document.activeElement;
    if (!all.length) return false;
    const across = key === "ArrowLeft" || key === "ArrowRight", sign = key === "ArrowRight" || key === "ArrowDown" ? 1 : -1;
    const centre = (one) => { const { x, y, width, height } = one.getBoundingClientRect(); return [x + width / 2, y + height / 2]; };
    const cost = (one) => {  // the nearest that way, or from the last one round to the first
      const [dx, dy] = centre(one).map((at, i) => at - centre(here)[i]), ahead = (across ? dx : dy) * sign;
      return Math.abs(ahead) < 2 ? Infinity : ahead + 2 * Math.abs(across ? dy : dx) + (ahead < 0 ? 1e5 : 0);
    };
    if (!all.includes(here)) all[0].focus();
    else all.map((one) => [cost(one), one]).filter(([far]) => far < Infinity).sort(([a], [b]) => a - b)[0]?.[1].focus();
    return true;
  }
  function press(key) {
    const replay = { ArrowLeft: "#step-prev", ArrowRight: "#step-next", Home: "#step-first", End: "#step-last", " ": "#step-play" };
    if ($("#replay[data-path]")) { $(replay[key] ?? "#none")?.click(); return key in replay; }
    if (/^\d$/.test(key)) { $$("#table input[name=hold]")[(+key + 9) % 10]?.click(); return true; }
    if (key.startsWith("Arrow")) return move(key);
    if (key === "r") ($("#roll") ?? $('#table [data-key="r"]'))?.click();
    else if (key === "u") $("#undo")?.click();
    else if (key === "l") $("#log")?.focus();
    else if (key === "?") open("rules");
    else return false;
    return true;
  }
  document.addEventListener("keydown", (event) => {
    const { target, key, repeat } = event;
    if (key === "Enter" && repeat && target.matches("button")) return event.preventDefault();
    if (words.keys === "off" || event.ctrlKey || event.metaKey || event.altKey || $("dialog[open]")) return;
    if (target.matches("input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]")) return;
    if (target.matches("[type=radio]") && (key === " " || key.startsWith("Arrow"))) return;
    if (key === " " && target.matches("a, button, input, summary") || repeat && !key.startsWith("Arrow")) return;
    if (press(key.length === 1 ? key.toLowerCase() : key)) event.preventDefault();
  });

  if (/^#(rules|menu)$/.test(location.hash)) open(location.hash.slice(1));
  present();
  follow();
})();
