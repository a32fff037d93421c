// Looks words up in the index of posts that lies beside it, on the page that has the form for it.
(() => {
  "use strict";
  const AT_A_TIME = 10;
  const words = document.currentScript.dataset;
  const language = document.documentElement.lang || "en";
  const root = new URL("../", document.currentScript.src);
  const [form, count, list, more] = ["search", "count", "found", "more"].map((id) => document.getElementById(id));
  let engines, results = [], turn = 0;

  // A module for each language that posts are in, as each knows the words of one.
  const load = () => engines ||= (async () => {
    const entry = await fetch(new URL("search/pagefind/pagefind-entry.json", root), {cache: "no-cache"});
    return Promise.all(Object.keys((await entry.json()).languages).map(async (tag) => {
      const engine = await import(`./pagefind/pagefind.js?${tag}`);
      // These can be told of a post, and are no words of it.
      await engine.options({ranking: {metaWeights: {url: 0, date: 0, lang: 0}}});
      // It takes the language that the page has at this moment.
      document.documentElement.lang = tag;
      engine.init();
      document.documentElement.lang = language;
      return engine;
    }));
  })();

  // Whatever a feed says becomes text, never HTML; an address becomes a link only to the web.
  const made = (name, text) => {
    const element = document.createElement(name);
    element.textContent = text;
    return element;
  };
  const web = (address) => {
    try {
      const url = new URL(address, root);
      return ["http:", "https:"].includes(url.protocol) ? url.href : null;
    } catch {
      return null;
    }
  };
  const bare = (text) => text.replace(/&lt;/g, "<").replace(/&gt;/g, ">");

  const item = ({meta, content, excerpt}) => {
    const found = document.createElement("li");
    const heading = made("h2", "");
    const title = made("a", meta.title);
    const address = web(meta.url);
    if (address) title.href = address;
    if (meta.lang) found.lang = meta.lang;
    found.dir = "auto";
    heading.append(title);
    const from = made("p", "");
    from.className = "from";
    from.lang = language;
    // Set apart, so that the direction of the title is that of the whole.
    const date = document.createElement("span");
    date.append(made("bdi", meta.date));
    from.append(made("bdi", meta.source), " ", date);
    found.append(from, heading);
    // A post without a text has its title for one; the index ends it with a full stop.
    if (![meta.title, `${meta.title}.`].includes(content.replaceAll("\u200b", ""))) {
      const text = made("p", "");
      text.className = "excerpt";
      for (const [place, piece] of excerpt.split(/<\/?mark>/).entries()) {
        text.append(place % 2 ? made("mark", bare(piece)) : bare(piece));
      }
      found.append(text);
    }
    return found;
  };

  const show = async (mine) => {
    const from = list.children.length;
    more.disabled = true;
    const next = await Promise.all(results.slice(from, from + AT_A_TIME).map((result) => result.data()));
    if (mine !== turn) return;
    list.append(...next.map(item));
    more.hidden = list.children.length >= results.length;
    more.disabled = false;
    if (from) list.children[from].querySelector("h2 a").focus();
  };

  const search = async () => {
    const mine = ++turn;
    const query = form.elements.q.value.trim();
    history.replaceState(null, "", query ? `?q=${encodeURIComponent(query)}` : location.pathname);
    try {
      const found = query ? await Promise.all((await load()).map((engine) => engine.search(query))) : [];
      if (mine !== turn) return;
      results = found.flatMap((each) => each.results).filter((result) => result.score > 0);
      results.sort((one, other) => other.score - one.score);
      list.replaceChildren();
      const number = new Intl.NumberFormat(language).format(results.length);
      count.textContent = query ? words.found.replace("#", number) : "";
      await show(mine);
    } catch {
      if (mine === turn) count.textContent = words.failed;
    }
  };

  let typing;
  form.addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(search, 300);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(typing);
    search();
  });
  more.addEventListener("click", () => show(turn).catch(() => { count.textContent = words.failed; }));
  form.elements.q.value = new URLSearchParams(location.search).get("q") || "";
  form.hidden = false;
  if (form.elements.q.value) search();
})();
