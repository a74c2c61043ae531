// Focus, names and errors, for people who do not use a mouse or cannot see the page. No text of a person is touched.
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const seen = (node) => node && node.offsetParent !== null;

  // After "Next" and "Back" the heading of the new step gets the focus: it names the step and its questions follow.
  let turning = 0;
  document.addEventListener("click", (event) => {
    if (event.target.closest(".next, .back, .to-step")) turning = Date.now();
  });
  const focusStep = () => {
    if (!turning || Date.now() - turning > 8000) return;
    const wrong = all(".ask.bad").filter(seen)[0];
    const field = wrong && wrong.querySelector("input, textarea");
    const heading = all(".step-head h2").filter(seen)[0];
    const name = wrong ? wrong.id : heading && heading.textContent;
    if (!name || name === focusStep.last) return;
    focusStep.last = name;
    turning = 0;
    const target = field || heading;
    if (!field) heading.setAttribute("tabindex", "-1");
    target.focus({preventScroll: true});
    target.scrollIntoView({block: field ? "center" : "start"});
  };

  const errors = () => {
    for (const box of all(".ask")) {
      const bad = box.classList.contains("bad");
      const info = box.querySelector(".info, [data-testid='block-info'] ~ *");
      for (const field of all("input, textarea", box)) {
        if (field.closest(".unknown")) continue;
        if (bad === (field.getAttribute("aria-invalid") === "true")) continue;
        if (bad) field.setAttribute("aria-invalid", "true");
        else field.removeAttribute("aria-invalid");
        const said = box.querySelector(".wrong-here");
        if (bad && said) field.setAttribute("aria-describedby", said.id);
        else field.removeAttribute("aria-describedby");
      }
    }
    for (const box of all(".wrong")) if (box.getAttribute("role") !== "alert") box.setAttribute("role", "alert");
  };

  // Buttons that Gradio leaves without a name.
  const names = () => {
    for (const button of all("button")) {
      if (button.getAttribute("aria-label") || button.textContent.trim() || button.title) continue;
      const step = button.closest(".steps");
      const place = step ? all("button", button.parentElement).indexOf(button) + 1 : 0;
      const label = step && window.hkgpuSteps ? window.hkgpuSteps[place - 1] : "";
      button.setAttribute("aria-label", label || window.hkgpuWords.menu);
    }
  };

  let waiting = false;
  const tidy = () => {
    waiting = false;
    errors();
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
