/* The code samples of the page follow the form. Functions that write them are loaded with the first use. */
import { bashSample } from '../../samples/bash.ts';
import { multipartNote } from '../../samples/text.ts';
import { make } from './dom.js';

/** Longer code has no colors: every colored piece is an element. */
const MAX_COLORED = 20_000;
const WORDS = '--?[a-z][\\w-]*|[$@]?[a-z_]\\w*';
const TOKENS = new RegExp(
  `("""|''')[^]*?\\1|"(?:\\\\[^]|[^"\\\\])*"|'(?:\\\\[^]|[^'\\\\])*'|\`(?:\\\\[^]|[^\`\\\\])*\`|${WORDS}`,
  'gi',
);
/** In shells, a backslash in single quotes is a character. */
const SHELL_TOKENS = new RegExp(`'[^']*'|"(?:[\\\\\`][^]|[^"\\\\\`])*"|${WORDS}`, 'gi');

/**
 * @param {[key: string, script: string | null][]} languages of the last samples of the page; a script without a path is
 *   here already
 * @returns {{ show(request: any): void, restore(): void }}
 */
export function makeSamples(languages) {
  const list = document.querySelector('.request-example > [data-op-tabs] > [role=tablist]');
  const tabs = list === null ? [] : [...list.querySelectorAll('[role=tab]')];
  if (languages.length === 0 || tabs.length < languages.length) return { show() {}, restore() {} };
  const own = tabs.slice(-languages.length);
  const samples = languages.map(([key, script], at) => makeSample(own[at], key, script));
  let request = null;
  const paint = () => {
    if (request === null) return;
    for (const sample of samples) {
      if (sample.tab.getAttribute('aria-selected') === 'true') sample.paint(() => request);
    }
  };
  // Another language is written when it is chosen.
  new MutationObserver(paint).observe(list, { subtree: true, attributeFilter: ['aria-selected'] });
  return {
    show(next) {
      request = next;
      paint();
    },
    restore() {
      request = null;
      for (const sample of samples) sample.restore();
    },
  };
}

function makeSample(tab, key, script) {
  const panel = document.getElementById(tab.getAttribute('aria-controls'));
  const code = panel.querySelector('pre > code');
  const before = [...code.childNodes];
  const classes = new Map([...code.querySelectorAll('i')].map((mark) => [mark.textContent, mark.className]));
  let shown = null;
  return {
    tab,
    /** `current` returns null if the samples have been restored while the script was loading. */
    async paint(current) {
      let write;
      try {
        write = await writerOf(key, script);
      } catch {
        // The sample stays as it is; the next change tries again.
        return;
      }
      const request = current();
      if (request === null) return;
      const text = multipartNote(request, key) ?? write(request);
      if (text === shown) return;
      shown = text;
      code.replaceChildren(...colored(text, key, classes));
    },
    restore() {
      if (shown === null) return;
      shown = null;
      code.replaceChildren(...before);
    },
  };
}

/** By script. */
const loading = new Map();

async function writerOf(key, script) {
  if (script === null) return bashSample;
  if (!loading.has(script)) {
    const { base = '' } = document.documentElement.dataset;
    const loaded = new Promise((resolve, reject) => {
      document.head.append(
        Object.assign(document.createElement('script'), {
          src: base + script,
          onload: resolve,
          onerror: reject,
        }),
      );
    });
    loading.set(script, loaded);
    loaded.catch(() => loading.delete(script));
  }
  await loading.get(script);
  return window.offprintSamples[key];
}

/** Strings, and the words that the sample of the page has with a color. */
function colored(text, key, classes) {
  if (text.length > MAX_COLORED) return [text];
  const nodes = [];
  let end = 0;
  for (const { 0: token, index } of text.matchAll(
    key === 'bash' || key === 'powershell' ? SHELL_TOKENS : TOKENS,
  )) {
    const name = /^["'`]/.test(token) ? 'ts' : classes.get(token);
    if (name === undefined) continue;
    nodes.push(text.slice(end, index), make('i', { class: name }, token));
    end = index + token.length;
  }
  nodes.push(text.slice(end));
  return nodes;
}
