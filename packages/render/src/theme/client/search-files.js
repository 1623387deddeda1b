/** Files of the index as scripts, which load from `file://` and under any policy that lets the site's own run. */
import { createEngine } from '@offprint/search/engine';

/** What takes the data of a file, by the script that brings it. */
const takers = new WeakMap();
let attempt = 0;

/** Every file of the index calls this with its data. */
export function takeFile(_kind, data) {
  takers.get(document.currentScript)?.(data);
}

function load(path) {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    takers.set(script, resolve);
    script.src = `${document.documentElement.dataset.base}${path}${attempt === 0 ? '' : `?${attempt}`}`;
    script.onerror = () => reject(new Error(path));
    // One that ran without handing over is not of the index.
    script.onload = () => reject(new Error(path));
    document.head.append(script);
    script.remove();
  });
}

const indexes = new Map();

/** Everything is asked for again, past any cache: the site may have a newer index by now. */
export function tryAgain() {
  attempt++;
  indexes.clear();
}

/** The index of a language, asked for once. */
export function openIndex(path) {
  if (!indexes.has(path)) {
    const index = load(path).then((directory) => ({
      directory,
      engine: createEngine(directory, (name) => load(`_offprint/search/${name}.js`)),
    }));
    index.catch(() => indexes.delete(path));
    indexes.set(path, index);
  }
  return indexes.get(path);
}
