/* URLs in CSS that a component makes: `url()`, `src()`, texts in `image-set()`, `@import`. */

const escaped = String.raw`\\(?:[\da-f]{1,6}\s?|[^\da-f\n\r\f])`;
const text = String.raw`"(?:\\[\s\S]|[^"\\\n\r\f])*"?|'(?:\\[\s\S]|[^'\\\n\r\f])*'?`;
const name = `@?(?:[-\\w]|[^\\0-\\x7f]|${escaped})+`;
/** Comment, text, name with the bracket of a function, or any other character. */
const token = new RegExp(String.raw`\/\*[\s\S]*?(?:\*\/|$)|(${text})|(${name})(\(?)|[\s\S]`, 'giy');
/** What `url(` has when it has no text. */
const bare = new RegExp(String.raw`\s*((?:${escaped}|[^\\"'()\s])+)\s*(?:\)|$)`, 'iy');

/** Functions in which a text is a URL. */
const takesUrl = /^(?:url|src|image|(?:-webkit-)?(?:image-set|cross-fade))$/;

const plain = (written) =>
  written
    .replace(/\\([\da-f]{1,6})\s?/gi, (_, code) => character(Number.parseInt(code, 16)))
    .replace(/\\([\s\S])/g, (_, next) => (next === '\n' ? '' : next));
const character = (code) =>
  code === 0 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? '\ufffd' : String.fromCodePoint(code);

const quoted = (url) => `"${url.replace(/["\\\n\r\f]/g, (it) => `\\${it.charCodeAt(0).toString(16)} `)}"`;

/** CSS with what `rebase` makes of each URL; all that it leaves as it is stays as written. */
export function rebaseCss(css, rebase) {
  let out = '';
  let isImport = false;
  /** For each open bracket, whether a text in it is a URL. */
  const open = [];
  const replace = (written, all, write) => {
    const url = plain(written);
    const next = rebase(url);
    return next === url ? all : write(quoted(next));
  };
  token.lastIndex = 0;
  for (let match = token.exec(css); match; match = token.exec(css)) {
    const [all, string, word = '', bracket] = match;
    let part = all;
    if (string) {
      if (isImport || open.at(-1)) part = replace(string.replace(/^.|["']$/g, ''), all, (url) => url);
    } else if (bracket) {
      const called = plain(word).toLowerCase();
      bare.lastIndex = token.lastIndex;
      const found = called === 'url' && bare.exec(css);
      if (found) {
        token.lastIndex = bare.lastIndex;
        part = replace(found[1], all + found[0], (url) => `url(${url})`);
      } else open.push(takesUrl.test(called));
    } else if (all === '(') open.push(false);
    else if (all === ')') open.pop();
    if (all.trim()) isImport = plain(word).toLowerCase() === '@import';
    out += part;
  }
  return out;
}
