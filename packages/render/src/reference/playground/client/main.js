/* The playground of a reference page. The script of the page loads it with its first use. */
import { unpackForm } from '../../request/packed.ts';
import { parseJson } from './json.js';
import { endSignIn } from './oauth.js';
import { createPanel } from './panel.js';

const panels = new WeakMap();

/** Opens the playground of an element `[data-op-playground]`. */
document.addEventListener('offprint:open', ({ target: root }) => {
  if (!panels.has(root)) {
    const { value: data } = parseJson(root.querySelector('script[type="application/json"]').textContent);
    panels.set(root, createPanel(root, { ...data, form: unpackForm(data.form) }));
  }
  panels.get(root).open();
});

endSignIn();
