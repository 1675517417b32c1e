"use strict";
// Hands the run to the viewer, keeps the page's colours with the viewer's, and opens a survivor in it.
(() => {
  const app = document.querySelector("mutation-test-report-app");
  const report = JSON.parse(document.getElementById("report").textContent);

  const follow = () => {
    document.documentElement.dataset.theme = app.theme;
  };
  app.addEventListener("theme-changed", follow);
  app.report = report;
  app.updateComplete.then(follow);

  // The viewer leaves out the directories that all files share.
  const folders = Object.keys(report.files).map((path) => path.split("/").slice(0, -1));
  const shared = (folders[0] ?? []).findIndex((name, at) => folders.some((path) => path[at] !== name));
  const skip = shared < 0 ? (folders[0] ?? []).length : shared;

  const inside = (root, selector) => {
    for (const element of root.querySelectorAll("*")) {
      if (element.matches(selector)) return element;
      const found = element.shadowRoot && inside(element.shadowRoot, selector);
      if (found) return found;
    }
    return null;
  };

  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-mutant]");
    if (!link) return;
    event.preventDefault();
    const path = link.dataset.path.split("/").slice(skip).map(encodeURIComponent).join("/");
    location.hash = `mutant/${path}`;
    let tries = 100;
    const open = () => {
      const dot = app.shadowRoot && inside(app.shadowRoot, `svg[data-mutant-id="${CSS.escape(link.dataset.mutant)}"]`);
      if (dot) {
        dot.scrollIntoView({ block: "center" });
        if (!dot.classList.contains("selected")) dot.dispatchEvent(new MouseEvent("click", { bubbles: true, composed: true }));
      } else if (tries-- > 0) {
        setTimeout(open, 30);
      }
    };
    setTimeout(open, 60);
  });
})();
