// Focus, names and errors, for people who do not use a mouse or cannot see the page. No text of a person is touched.
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const seen = (node) => node && node.offsetParent !== null;

  // After "Next" and "Back" the heading of the new step gets the focus, or the first field that has to be corrected.
  let turning = null;
  const heading = () => all(".step-head h2").filter(seen)[0];
  const wrong = () => all(".ask.bad").filter(seen);
  const title = () => (heading() ? heading().textContent : "");
  const faults = () => wrong().map((box) => box.id).join();
  document.addEventListener("click", (event) => {
    if (event.target.closest(".next, .back, .step-button")) turning = {title: title(), faults: faults(), at: Date.now()};
  });
  const focusStep = () => {
    if (!turning || Date.now() - turning.at > 20000 || !heading()) return;
    const told = faults() && faults() !== turning.faults;
    if (title() === turning.title && !told) return;
    turning = null;
    const field = wrong().map((box) => box.querySelector("input, textarea")).filter(Boolean)[0];
    if (!field) heading().setAttribute("tabindex", "-1");
    (field || heading()).focus({preventScroll: true});
    (field || heading()).scrollIntoView({block: field ? "center" : "start"});
  };

  // A question's label names its fields, its reason or its error describes them.
  let ids = 0;
  const questions = () => {
    for (const box of all(".ask")) {
      const label = box.querySelector("[data-testid='block-info']");
      const info = box.querySelector(".info-text");
      if (!label || !info) continue;
      label.id = label.id || `asked-${++ids}`;
      info.id = info.id || `told-${++ids}`;
      const group = box.querySelector("fieldset");
      const fields = group ? [group] : all("input, textarea", box).filter((each) => !each.closest(".unknown"));
      for (const field of fields) {
        if (group) group.setAttribute("aria-labelledby", label.id);
        if (field.getAttribute("aria-describedby") !== info.id) field.setAttribute("aria-describedby", info.id);
      }
      const unsure = box.querySelector(".unknown input");
      if (unsure && !unsure.getAttribute("aria-describedby")) unsure.setAttribute("aria-describedby", label.id);
      const bad = box.classList.contains("bad");
      for (const field of all("input, textarea", box)) {
        if (field.closest(".unknown") || bad === (field.getAttribute("aria-invalid") === "true")) continue;
        if (bad) field.setAttribute("aria-invalid", "true");
        else field.removeAttribute("aria-invalid");
      }
    }
    for (const box of all(".wrong")) if (box.getAttribute("role") !== "alert") box.setAttribute("role", "alert");
  };

  // Buttons that Gradio leaves without a name, and the steps, which on a phone show a number only.
  const names = () => {
    for (const button of all(".step-button")) {
      const name = window.hkgpuWords.steps[button.getAttribute("aria-controls")];
      if (name && button.getAttribute("aria-label") !== name) button.setAttribute("aria-label", name);
    }
    for (const button of all("button")) {
      if (button.getAttribute("aria-label") || button.textContent.trim() || button.title) continue;
      button.setAttribute("aria-label", window.hkgpuWords.menu);
    }
  };

  let waiting = false;
  const tidy = () => {
    waiting = false;
    questions();
    names();
    focusStep();
  };
  const start = () => {
    new MutationObserver(() => {
      if (waiting) return;
      waiting = true;
      setTimeout(tidy, 30);
    }).observe(document.body, {childList: true, subtree: true, attributes: true, attributeFilter: ["class", "style"]});
    tidy();
  };
  if (document.body) start();
  else document.addEventListener("DOMContentLoaded", start);
})();
