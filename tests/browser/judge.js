// What a browser made of a page, and what a reader could set off in it; `policy` has the
// attributes of each element that an entry may contain.
async (policy) => {
  const faults = [];
  const shapes = new Set();
  const say = (kind, what, element) => {
    faults.push([kind, `${what}: ${element.outerHTML.slice(0, 160)}`]);
  };
  const everything = [...document.querySelectorAll("*")];

  // 1. What stands in entries is what the policy allows.
  const isRaster = (address) => /^data:image\/(png|gif|jpeg|webp|avif);base64,/.test(address);
  const isWeb = (address) => /^https?:$/.test(URL.parse(address, document.baseURI)?.protocol);
  const addresses = {
    href: (value) => isWeb(value) || /^mailto:/i.test(value),
    src: (value, element) => isWeb(value) || (element.localName == "img" && isRaster(value)),
  };
  // What the page itself puts in: regions that scroll, frames for pictures, pictures for films,
  // addresses as names of links that have none.
  const added = {
    class: ["wide", "alone"], role: ["group"], tabindex: ["0"], "aria-label": ["Table", "Code"],
    poster: [new URL(document.querySelector("link[rel=icon]").href).href.replace("icon", "film")],
  };
  const isNamed = (element) => {
    const name = element.getAttribute("aria-label");
    return element.matches("a[href]:has(img)") && element.getAttribute("href").includes(name);
  };
  const isAdded = (element, name) => {
    if (name == "aria-label" && isNamed(element)) return true;
    const own = { class: ".wide, .alone", poster: "video" }[name] ?? "pre.wide, div.wide:has(> table)";
    const value = name == "poster" ? element.poster : element.getAttribute(name);
    return element.matches(own) && added[name]?.includes(value);
  };
  const look = (element) => {
    const isHtml = element.namespaceURI == "http://www.w3.org/1999/xhtml";
    // Of formulas none but elements of their own, which begin so.
    const isMath = /\/MathML$/.test(element.namespaceURI) && element.localName.startsWith("m");
    const allowed = isHtml || isMath ? policy[element.localName] : undefined;
    if (!allowed) say("markup", "element", element);
    for (const { name, value } of element.attributes) {
      if (!allowed?.includes(name) && !isAdded(element, name)) say("markup", `attribute ${name}`, element);
      if (!(addresses[name] ?? (() => true))(value, element)) say("markup", "address", element);
    }
    const { position } = getComputedStyle(element);
    const isCaption = element.localName == "caption" && position == "sticky";
    if (position != "static" && !isCaption && element.checkVisibility()) say("cover", position, element);
  };

  // 2. What stands around them has the shape it has around tame ones.
  const shaped = new Map();
  const shape = (element) => {
    if (!shaped.has(element)) {
      const around = element.parentElement ? `${shape(element.parentElement)} ` : "";
      shaped.set(element, `${around}${element.localName}[${element.getAttributeNames().sort()}]`);
    }
    return shaped.get(element);
  };
  for (const element of everything) {
    if (element.parentElement?.closest(".content")) look(element);
    else shapes.add(shape(element));
    const leads = element.protocol;
    if (leads && !/^(https?|mailto):$/.test(leads)) say("markup", `link to ${leads}`, element);
    for (const name of element.getAttributeNames().filter((name) => /^on/.test(name))) {
      say("markup", name, element);
    }
  }

  // 3. No entry reaches over its edges.
  for (const article of document.querySelectorAll("article")) {
    const edge = article.getBoundingClientRect();
    for (const element of article.querySelectorAll(".content :not(table *)")) {
      const box = element.getBoundingClientRect();
      const out = Math.max(
        edge.left - box.left, box.right - edge.right, edge.top - box.top, box.bottom - edge.bottom,
      );
      const isShown = box.width && box.height && element.checkVisibility();
      if (isShown && out > 24) say("cover", `${out} pixels over the edge`, element);
    }
  }

  // 4. A reader scrolls, points, types and clicks, everywhere; links to the web stay unvisited.
  const settled = () => new Promise((done) => setTimeout(done, 0));
  window.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href], area[href]");
    if (link && /^(https?|mailto):$/.test(link.protocol)) event.preventDefault();
  }, true);
  const gestures = ["pointerover", "mouseover", "mousemove", "mousedown", "keydown", "touchstart"];
  for (let top = 0; top < document.documentElement.scrollHeight; top += innerHeight) {
    scrollTo(0, top);
    await new Promise(requestAnimationFrame);
  }
  for (const element of everything) {
    const awaited = element.getAttributeNames().filter((name) => /^on/.test(name));
    for (const name of [...gestures, ...awaited.map((name) => name.slice(2))]) {
      element.dispatchEvent(new Event(name, { cancelable: true }));
    }
    if (element.tabIndex >= 0) element.focus();
    // A player that is clicked plays, and so loads what it plays.
    if (element.closest("audio, video")) continue;
    element.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
  }
  await settled();
  await new Promise(requestAnimationFrame);
  await settled();
  return {
    faults,
    shapes: [...shapes],
    articles: document.querySelectorAll("article").length,
    // A fragment is not sent, and not among what was asked for.
    images: [...document.querySelectorAll(".content img")].map((image) => image.src.split("#")[0]),
  };
}
