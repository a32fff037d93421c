// Puts Pagefind's search box on the page, which tells of each post where and when it was.
(() => {
  "use strict";
  // What a feed says becomes text: a box shows excerpts as HTML, in which Pagefind escapes words.
  const text = (words) => new Option(words).innerHTML;
  const box = new PagefindUI({
    element: "#search",
    showImages: false,
    showSubResults: false,
    // A word in quotation marks is found as a whole; without them, so is what begins like it.
    processTerm: (term) => (/[\s"]/.test(term) ? term : `"${term}"`),
    processResult: ({meta, excerpt, ...result}) => ({
      ...result,
      meta: {title: `${meta.source}: ${meta.title}`, url: meta.url},
      excerpt: `${text(meta.date)} · ${excerpt}`,
    }),
  });
  document.querySelector("#search input").setAttribute("aria-labelledby", "search-label");
  const query = new URLSearchParams(location.search).get("q");
  if (query) box.triggerSearch(query);
})();
