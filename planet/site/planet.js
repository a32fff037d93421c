// Two conveniences for pages that are complete without them.
(() => {
  "use strict";
  const words = document.currentScript.dataset;

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
})();
