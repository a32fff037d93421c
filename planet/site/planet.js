// Four conveniences for pages that are complete without them.
(() => {
  "use strict";
  const words = document.currentScript.dataset;

  // "3 hours ago" for moments of the last week, in the language of the page.
  const units = [["day", 86400], ["hour", 3600], ["minute", 60]];
  const told = new Map();
  const tell = () => {
    const ago = new Intl.RelativeTimeFormat(document.documentElement.lang || "en", {numeric: "auto"});
    for (const [element, when] of told) {
      const seconds = (when - Date.now()) / 1000;
      const [unit, length] = units.find(([, length]) => -seconds >= length) || units[2];
      element.textContent = ago.format(Math.round(seconds / length), unit);
    }
  };
  for (const element of document.querySelectorAll("time[datetime*=T]")) {
    const when = Date.parse(element.dateTime);
    const age = Date.now() - when;
    if (age >= 0 && age < 7 * 86400e3) {
      element.title = element.textContent.trim();
      told.set(element, when);
    }
  }
  if (told.size) {
    tell();
    setInterval(tell, 60000);
    // Paper is read later.
    addEventListener("beforeprint", () => {
      for (const element of told.keys()) element.textContent = element.title;
    });
    addEventListener("afterprint", tell);
  }

  // j and k: to the next post, and to the one before.
  document.addEventListener("keydown", (event) => {
    const step = {j: 1, k: -1}[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input, select, textarea, audio, video, [contenteditable]")) return;
    const links = [...document.querySelectorAll("article a.u-url")].filter((link) => link.offsetParent);
    const here = document.activeElement.closest("article");
    const at = links.findIndex((link) => here && here.contains(link));
    const next = links[at < 0 && step < 0 ? -1 : at + step];
    if (next) {
      event.preventDefault();
      next.focus();
      next.closest("article").scrollIntoView({block: "start"});
    }
  });

  // A player plays for as long as it is open.
  document.addEventListener("toggle", ({target}) => {
    const media = target.matches(".player") && target.querySelector("audio, video");
    if (media) target.open ? media.play().catch(() => {}) : media.pause();
  }, true);

  // A button beside each address of a feed, where the browser lets pages copy.
  const addresses = navigator.clipboard ? document.querySelectorAll(".feeds code") : [];
  for (const [number, address] of addresses.entries()) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = words.copy;
    button.style.cssText = "margin-top: .375rem; padding: .25rem .75rem; border: 1px solid;"
      + "border-radius: 1rem; background: none; color: inherit; font: inherit; font-size: .875rem";
    address.id = `address-${number}`;
    button.setAttribute("aria-describedby", address.id);
    button.setAttribute("aria-live", "polite");
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(address.textContent);
      button.textContent = words.copied;
      setTimeout(() => { button.textContent = words.copy; }, 3000);
    });
    address.after(button);
  }

  // A field that leaves those of the sources in which what is typed stands.
  const field = document.getElementById("filter");
  if (field) {
    const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
    field.parentElement.hidden = false;
    field.addEventListener("input", () => {
      const wanted = plain(field.value.trim());
      for (const item of document.querySelectorAll(".blogs > li")) item.hidden = !plain(item.textContent).includes(wanted);
    });
  }
})();
