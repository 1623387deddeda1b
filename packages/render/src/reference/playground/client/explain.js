/* Explains why a browser returned no response, in what it lets pages know. */
import { copyButton, fill, make } from './dom.js';

/**
 * @param {{ preflight: { method: string | null, headers: string[] }, url: string, init: RequestInit }} prepared
 * @param {{ words: any, isBlockedByPolicy: boolean }} facts
 * @returns {Node[]}
 */
export function explainFailure({ preflight, url, init }, { words, isBlockedByPolicy }) {
  const { origin, protocol } = new URL(url);
  const paragraph = (text) => make('p', {}, text);
  const parts = [make('p', { class: 'op-pg-failed' }, words.failedTitle)];
  const isLocal = /^(?:localhost|127\.|\[::1\])/.test(new URL(url).host);
  if (isBlockedByPolicy)
    return [...parts, paragraph(fill(words.failedPolicy, { origin })), paragraph(words.failedCurl)];
  if (location.protocol === 'https:' && protocol === 'http:' && !isLocal)
    parts.push(paragraph(words.failedMixed));
  // Pages from files have the origin `null`, whatever `location.origin` is.
  const isFile = location.protocol === 'file:';
  const page = isFile ? 'null' : location.origin;
  parts.push(paragraph(words.failedWhy));
  if (isFile) parts.push(paragraph(words.failedFile));
  const allowed = [`Access-Control-Allow-Origin: ${page}`];
  if (init.credentials === 'include') allowed.push('Access-Control-Allow-Credentials: true');
  parts.push(paragraph(words.failedOrigin), headerList(allowed, words));
  const asked = [
    ...(preflight.method === null ? [] : [`Access-Control-Allow-Methods: ${preflight.method}`]),
    ...(preflight.headers.length === 0
      ? []
      : [`Access-Control-Allow-Headers: ${[...new Set(preflight.headers)].join(', ')}`]),
  ];
  if (asked.length > 0)
    parts.push(paragraph(words.failedPreflight), headerList([...allowed, ...asked], words));
  parts.push(paragraph(words.failedCurl));
  return parts;
}

function headerList(lines, words) {
  const text = lines.join('\n');
  return make(
    'div',
    { class: 'op-pg-block' },
    copyButton(words, () => text),
    make('pre', { tabindex: '0', 'aria-label': words.request }, text),
  );
}

/**
 * Notices whether the content policy of the page refuses requests while something runs.
 * @param {() => void} [refused] runs when it does
 */
export function watchPolicy(refused = () => {}) {
  let isBlocked = false;
  const notice = ({ effectiveDirective }) => {
    if (effectiveDirective !== 'connect-src') return;
    isBlocked = true;
    refused();
  };
  document.addEventListener('securitypolicyviolation', notice);
  return {
    /** Waits for the event, which comes after the refusal. */
    async end() {
      await new Promise((resolve) => setTimeout(resolve, 50));
      document.removeEventListener('securitypolicyviolation', notice);
      return isBlocked;
    },
  };
}
