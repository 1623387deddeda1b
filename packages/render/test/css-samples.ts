/**
 * Style texts that try to load a file of another host: tokens, escapes and whole rules, in any order, also not closed. And
 * a check of what is left of them, with a parser that the product does not use.
 */
import { ident, string, tokenize, tokenNames, url as urlToken } from 'css-tree';
import fc from 'fast-check';

/** The host of every URL that must not be loaded. */
export const FAR = 'evil.test';

const FAR_URLS = [
  `https://${FAR}/a.png`,
  `http://${FAR}/a.css`,
  `//${FAR}/a`,
  `\\\\\\\\${FAR}/a`,
  `/\\\\${FAR}/a`,
  `\\\\/${FAR}/a`,
  `https:${FAR}/a`,
  `http:\\\\\\\\${FAR}`,
  ` //${FAR}/a`,
  `\t//${FAR}/a`,
  `\\9//${FAR}/a`,
  `/\\a /${FAR}/a`,
  `\\2f\\2f ${FAR}/a`,
  `ht\\9tps://${FAR}/a`,
  `HTTPS://user@${FAR}:8443/a#b`,
  `ftp://${FAR}/a`,
  `wss://${FAR}/a`,
  `file://${FAR}/a`,
  `blob:https://${FAR}/a`,
  `data:text/css,@import '//${FAR}/a'`,
  `data:text/html,//${FAR}`,
  `javascript:location='//${FAR}'`,
];
const NEAR_URLS = [
  'a.png',
  '/a.png',
  '../a.css',
  '#a',
  '',
  'data:image/png;base64,AAAA',
  './a b.png',
  '?x',
  'a\\)b.png',
];
const PROPERTIES =
  'background background-image mask mask-image clip-path cursor content list-style list-style-image border-image-source filter src fill stroke marker marker-start marker-mid marker-end shape-outside offset-path behavior -moz-binding --x --y: symbols initial-value result negative'.split(
    ' ',
  );
const FUNCTIONS =
  'url url url url url url url src src image-set image-set image-set url url -webkit-image-set -webkit-image-set image cross-fade -webkit-cross-fade element paint var env attr type format local calc linear-gradient expression url-prefix domain if inherit --f supports layer type first-valid toggle'.split(
    ' ',
  );
const AT_RULES =
  'import import import charset namespace font-face media supports layer property keyframes counter-style function container scope page document starting-style'.split(
    ' ',
  );
const MARKS =
  '{ } { } ( ) [ ] ; ; : , , " \' \\ / * < > ! # @ - -- . + ~ | = $ ^ % & 0 1x 2e3 -->|<!--|/*|*/|\n|\r\n|\f|\r| |\t|\0|\ufeff|\ufffd|\ud800|\udc00|é|\u00a0|😀|</style>|<![CDATA[|]]>|\\\n|\\\r\n|\\0 |\\d800 |\\110000 |\\'
    .split(/[ |]/)
    .filter((mark) => mark !== '');

/** A word with some of its letters as escapes or in the other case. */
const spelled = (words: readonly string[]): fc.Arbitrary<string> =>
  fc
    .tuple(fc.constantFrom(...words), fc.array(fc.nat(90), { maxLength: 12 }))
    .map(([word, ways]) =>
      [...word].map((char, at) => spell(char, ways[at] ?? 90, word[at + 1] ?? '')).join(''),
    );

function spell(char: string, way: number, next: string): string {
  const code = char.codePointAt(0)?.toString(16) ?? '';
  if (way === 0) return `\\${code} `;
  if (way === 1) return `\\${code.padStart(6, '0')}`;
  if (way === 2) return /[\da-f\s]/i.test(next) ? `\\${code}\n` : `\\${code}`;
  if (way === 3) return /[\da-f\n\r\f]/i.test(char) ? char : `\\${char}`;
  if (way === 4) return char.toUpperCase();
  return char;
}

const blank = fc.constantFrom(
  ...['', ' '].flatMap((each) => Array(8).fill(each)),
  '\n',
  '/**/',
  '/* x */',
  '\t',
  ' /*',
  '\f',
);
const farUrl = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...FAR_URLS) },
  { weight: 1, arbitrary: spelled(FAR_URLS) },
);
const nearUrl = fc.constantFrom(...NEAR_URLS);
const anyMark = fc.constantFrom(...MARKS);

/** A rule that a browser follows if its URL is one. */
function loading(urls: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const property = spelled([
    'background',
    'background-image',
    'list-style-image',
    'mask-image',
    'border-image-source',
  ]);
  const image = fc
    .tuple(spelled(['url', 'image-set', '-webkit-image-set']), urls, fc.constantFrom('"', "'"))
    .map(
      ([name, url, quote]) =>
        `${name}(${quote}${url}${quote}${/set$/i.test(name) || name.endsWith(' ') ? ' 1x' : ''})`,
    );
  return fc.oneof(
    fc.tuple(property, image).map(([name, value]) => `*{${name}:${value}}`),
    fc.tuple(spelled(['import']), urls).map(([name, url]) => `@${name} "${url}";`),
    fc
      .tuple(spelled(['font-face']), spelled(['src']), urls)
      .map(([name, src, url]) => `@${name}{font-family:f;${src}:url("${url}")}*{font-family:f}`),
  );
}

function makeSheet(urls: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const text = fc
    .tuple(fc.constantFrom('"', "'"), urls, fc.constantFrom(true, true, true, false))
    .map(([quote, url, isClosed]) => `${quote}${url}${isClosed ? quote : ''}`);
  const named = fc
    .tuple(
      spelled(FUNCTIONS),
      blank,
      fc.oneof(text, text, urls),
      blank,
      fc.constantFrom(')', ')', ')', '', ' 1x)'),
    )
    .map(([name, before, inner, after, end]) => `${name}(${before}${inner}${after}${end}`);
  const nested = fc
    .tuple(spelled(FUNCTIONS), named, fc.constantFrom(')', ' 1x)', ', 2x)', ''))
    .map(([name, inner, end]) => `${name}(${inner}${end}`);
  const value = fc.oneof(
    named,
    named,
    nested,
    text,
    fc.constantFrom('var(--x)', 'image-set(var(--x) 1x)', 'red', 'none'),
  );
  const declaration = fc
    .tuple(spelled(PROPERTIES), blank, value, blank, fc.constantFrom(';', ';', '', '!important;', '}'))
    .map(([name, before, inner, after, end]) => `${name}${before}:${inner}${after}${end}`);
  const rule = fc
    .tuple(
      fc.constantFrom('*', 'p', 'p::before', 'a, p', '@media all{p', 'rect', ''),
      fc.array(declaration, { maxLength: 3 }),
      fc.constantFrom('}', '}', '}}', ''),
    )
    .map(([selector, inner, end]) => `${selector}{${inner.join('')}${end}`);
  const atRule = fc
    .tuple(
      spelled(AT_RULES),
      blank,
      fc.oneof(text, named, declaration, fc.constant('svg ')),
      blank,
      fc.constantFrom(';', ' screen;', '{', '{}', '}', ''),
    )
    .map(([name, before, inner, after, end]) => `@${name}${before}${inner}${after}${end}`);
  const piece = fc.oneof(
    { weight: 4, arbitrary: rule },
    { weight: 3, arbitrary: atRule },
    { weight: 2, arbitrary: declaration },
    { weight: 2, arbitrary: value },
    { weight: 2, arbitrary: anyMark },
    { weight: 1, arbitrary: urls },
  );
  const rest = fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => pieces.join(''));
  return fc.oneof(
    rest,
    fc.tuple(loading(urls), rest).map(([first, others]) => `${first}${others}`),
  );
}

/** Style sheets, declarations and values with URLs of another host. */
export const hostileCss = makeSheet(
  fc.oneof({ weight: 4, arbitrary: farUrl }, { weight: 1, arbitrary: nearUrl }),
);
/** The same with URLs of the site only. */
export const localCss = makeSheet(nearUrl);

const URL_FUNCTIONS = /^(?:-\w+-)?(?:url|src|image|image-set|cross-fade)$/;
const INDIRECT = /^(?:var|env|attr|if|inherit|toggle|first-valid|--.*)$/;

interface Place {
  /** Brackets that are open, and whether a text in them is a URL. */
  stack: { close: string; isUrl: boolean }[];
  isImport: boolean;
  defects: string[];
}

/** What a browser could load from another site, as far as the tokens say; also what is not closed. */
export function defectsOf(css: string): string[] {
  const place: Place = { stack: [], isImport: false, defects: [] };
  tokenize(css, (type, start, end) => look(tokenNames[type] ?? '', css.slice(start, end), place));
  const { stack, defects } = place;
  return stack.length > 0 ? [...defects, `${stack.length} brackets that are not closed`] : defects;
}

function look(kind: string, text: string, place: Place): void {
  const { stack, defects } = place;
  const isUrl = stack.at(-1)?.isUrl === true;
  if (kind === 'url-token' && isFar(urlToken.decode(text))) defects.push(text);
  if (kind === 'string-token') {
    if ((isUrl || place.isImport) && isFar(string.decode(text))) defects.push(text);
    if (text.length < 2 || !text.endsWith(text.charAt(0))) defects.push('a text that is not closed');
  }
  const called = kind === 'function-token' ? ident.decode(text.slice(0, -1)).toLowerCase() : '';
  if (isUrl && INDIRECT.test(called)) defects.push(`${called}() in place of a URL`);
  if (called === 'expression') defects.push('expression()');
  const rule = kind === 'at-keyword-token' ? ident.decode(text.slice(1)).toLowerCase() : '';
  if (rule === 'charset') defects.push('@charset');
  if (rule !== '') place.isImport = rule === 'import';
  else if (!/^(?:whitespace|comment|function)-token$/.test(kind)) place.isImport = false;
  if (kind === 'function-token') stack.push({ close: ')', isUrl: URL_FUNCTIONS.test(called) });
  else if (text === '(') stack.push({ close: ')', isUrl });
  else if (text === '[') stack.push({ close: ']', isUrl });
  else if (text === '{') stack.push({ close: '}', isUrl: false });
  else if (text === stack.at(-1)?.close) stack.pop();
}

function isFar(url: string): boolean {
  if (/^data:(?:image|font|application\/)/i.test(url)) return false;
  return ['https://own.test/docs/', 'http://own.test/docs/', 'file:///docs/'].some((base) => {
    const parsed = URL.parse(url, base);
    const { protocol, host } = new URL(base);
    return parsed === null || parsed.protocol !== protocol || parsed.host !== host;
  });
}
