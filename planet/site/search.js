// Looks words up in the index of posts that lies beside it, on the page that has the form for it.
(() => {
  "use strict";
  const AT_A_TIME = 10;
  const words = document.currentScript.dataset;
  const language = document.documentElement.lang || "en";
  const root = new URL("../", document.currentScript.src);
  const [form, count, list, more] = ["search", "count", "found", "more"].map((id) => document.getElementById(id));
  const engines = new Map();
  let tags, results = [], taken = 0, turn = 0;

  // The languages that posts are in, that of the page first: most words are of that one.
  const languages = () => tags ||= (async () => {
    const entry = await fetch(new URL("search/pagefind/pagefind-entry.json", root), {cache: "no-cache"});
    const own = language.split("-")[0].toLowerCase();
    const all = Object.keys((await entry.json()).languages);
    return all.sort((one, other) => (other === own) - (one === own));
  })();

  // A module for each language, as each knows the words of one.
  const load = async (tag) => {
    const engine = await import(`./pagefind/pagefind.js?${tag}`);
    // These can be told of a post, and are no words of it.
    await engine.options({ranking: {metaWeights: {url: 0, date: 0, lang: 0}}});
    // It takes the language that the page has at this moment.
    document.documentElement.lang = tag;
    engine.init();
    document.documentElement.lang = language;
    return engine;
  };
  const engineOf = (tag) => {
    if (!engines.has(tag)) engines.set(tag, load(tag));
    return engines.get(tag);
  };
  const lookUp = async (query, tags) => {
    const found = await Promise.all(tags.map(async (tag) => (await engineOf(tag)).search(query)));
    return found.flatMap((each) => each.results).filter((result) => result.score > 0);
  };
  const best = (found) => found.sort((one, other) => other.score - one.score);

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

  const show = async (mine, until) => {
    const from = taken;
    taken = Math.max(from, Math.min(until, results.length));
    more.disabled = true;
    const next = await Promise.all(results.slice(from, taken).map((result) => result.data()));
    if (mine !== turn) return;
    list.append(...next.map(item));
    more.hidden = taken >= results.length;
    more.disabled = false;
  };
  const showMore = async () => {
    const from = taken;
    await show(turn, from + AT_A_TIME);
    list.children[from]?.querySelector("h2 a").focus();
  };
  const tell = (isWhole) => {
    const found = words.found.replace("#", new Intl.NumberFormat(language).format(results.length));
    count.textContent = isWhole ? found : `${found} · ${words.searching}`;
  };

  const search = async () => {
    const mine = ++turn;
    const query = form.elements.q.value.trim();
    history.replaceState(null, "", query ? `?q=${encodeURIComponent(query)}` : location.pathname);
    count.textContent = query ? words.searching : "";
    try {
      const [own, ...others] = query ? await languages() : [];
      const first = own ? await lookUp(query, [own]) : [];
      if (mine !== turn) return;
      list.replaceChildren();
      [results, taken] = [best(first), 0];
      if (query) tell(!others.length);
      await show(mine, AT_A_TIME);
      const rest = await lookUp(query, others);
      if (mine !== turn || !others.length) return;
      // What is shown already stays where it is.
      results = [...results.slice(0, taken), ...best([...results.slice(taken), ...rest])];
      tell(true);
      await show(mine, AT_A_TIME);
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
  more.addEventListener("click", () => showMore().catch(() => { count.textContent = words.failed; }));
  form.elements.q.value = new URLSearchParams(location.search).get("q") || "";
  form.hidden = false;
  if (form.elements.q.value) search();
})();
