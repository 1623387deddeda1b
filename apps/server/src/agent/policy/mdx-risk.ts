import { type Span, splitMdx } from './mdx-code.ts';

/** Something in a text that a person should know of before it is merged. */
export interface Risk {
  code: string;
  /** Whether it may not be published at all. */
  blocks: boolean;
  line: number;
  message: string;
  /** Returns whether a text had the same before, wherever it was. */
  key: string;
}

/** Hosts that a text names where a browser would fetch from or go to them, with the line of the first. */
export interface HostUse {
  host: string;
  kind: 'image' | 'link';
  line: number;
}

interface Rule {
  code: string;
  blocks: boolean;
  message: string;
  form: RegExp;
}

/** What runs in the browser of a reader, or opens a page inside the page. Looked for in everything that is not shown code. */
const RULES: readonly Rule[] = [
  { code: 'script', blocks: true, message: 'a <script> element', form: /<\s*script\b/gi },
  {
    code: 'handler',
    blocks: true,
    message: 'an event handler',
    form: /(?<=[\s"'/}])on[a-z]{3,30}\s*=\s*(?:["'`{]|[\w$.]+\()/gi,
  },
  {
    code: 'script-address',
    blocks: true,
    message: 'a URL that is a script',
    form: /(?<=[("'`=<{]\s*)(?:j\s*a\s*v\s*a|v\s*b)\s*s\s*c\s*r\s*i\s*p\s*t\s*:(?=\S)|\b(?:href|src|action|to|url|xlink:href)["']?\s*[=:]\s*[{"'`(<\s]*(?:java|vb)script\s*:/gi,
  },
  {
    code: 'raw-html',
    blocks: true,
    message: 'HTML that bypasses the renderer',
    form: /dangerouslySetInnerHTML|\bsrc[dD]oc\s*=|\.(?:inner|outer)HTML\b/g,
  },
  {
    code: 'script-address',
    blocks: true,
    message: 'a data: URL with a page in it',
    form: /(?<=[("'`=<{:]\s*)data\s*:\s*(?:text\/(?:html|javascript|xml)|application\/(?:xhtml|javascript|xml))/gi,
  },
  {
    code: 'script',
    blocks: true,
    message: 'custom entities, which may contain a script',
    form: /<!\s*ENTITY\b/gi,
  },
  { code: 'frame', blocks: false, message: 'a page inside the page (iframe)', form: /<\s*iframe\b/gi },
  {
    code: 'embed',
    blocks: false,
    message: 'an element that loads or redirects',
    form: /<\s*(?:object|embed|applet|base|meta|link|form|portal|frameset|foreignObject|\?xml-stylesheet)\b/gi,
  },
  {
    code: 'data-address',
    blocks: false,
    message: 'a data: URL',
    form: /(?<=[("'`=<{:]\s*)data\s*:\s*[a-z]+\/[a-z0-9.+-]+[;,]/gi,
  },
  {
    code: 'style-import',
    blocks: false,
    message: 'a style sheet from another URL',
    form: /@import\s+(?:url\()?["']?(?=[^"')\s])/gi,
  },
];

/** What an expression of a page needs no more than to compute a value. */
const BROWSER =
  /\b(?:fetch|XMLHttpRequest|WebSocket|EventSource|sendBeacon|navigator|document|window|globalThis|self|top|parent|frames|location|localStorage|sessionStorage|indexedDB|cookie|cookieStore|eval|Function|importScripts|Worker|SharedWorker|postMessage|process|require|Reflect|Proxy)\b|\bimport\s*\(/;

const ADDRESSES_AGENT =
  /\b(?:ai|a\.i\.|agents?|assistants?|llms?|gpt|chatgpt|claude|copilot|gemini|language models?|bots?|system prompt|ignore (?:all|any|the|previous|prior|your)|disregard|instructions?|you (?:must|should|are|will|need)|do not (?:tell|mention|reveal))\b/i;

const MARKDOWN = /\.(?:md|mdx|markdown)$/i;
const PROGRAM = /\.(?:[cm]?[jt]sx?|html?|vue|svelte|astro|sh|py|rb|php|wasm)$/i;

/** Every risk of one file, in the order of lines. */
export function findRisks(path: string, text: string): Risk[] {
  const risks: Risk[] = [];
  const lineAt = lineCounter(text);
  const add = (risk: Omit<Risk, 'line' | 'key'>, at: number, sample: string): void => {
    const key = `${risk.code} ${sample.replace(/\s+/g, ' ').trim().slice(0, 300)}`;
    risks.push({ ...risk, line: lineAt(at), key });
  };
  if (PROGRAM.test(path)) {
    add({ code: 'program', blocks: false, message: "a program that may run in readers' browsers" }, 0, text);
    return risks;
  }
  const parts = MARKDOWN.test(path) ? splitMdx(text, /x$/i.test(path)) : null;
  const live = readAsBrowser(parts?.live ?? text);
  for (const { form, ...rule } of RULES) {
    for (const match of live.matchAll(form)) add(rule, match.index, around(live, match.index));
  }
  if (parts !== null) {
    for (const span of parts.statements) addCode(text, span, true, add);
    for (const span of parts.expressions) addCode(text, span, false, add);
    for (const { start, end } of parts.comments) {
      const comment = text.slice(start, end);
      if (!ADDRESSES_AGENT.test(comment)) continue;
      add({ code: 'comment', blocks: false, message: 'a comment that addresses an agent' }, start, comment);
    }
    for (const rule of RULES.filter(({ blocks }) => blocks)) {
      const shown = [...readAsBrowser(text).matchAll(rule.form)].find(
        ({ index }) => live[index] !== text[index],
      );
      if (shown === undefined) continue;
      const message = `${rule.message} in a code sample`;
      add({ code: 'script-sample', blocks: false, message }, shown.index, around(text, shown.index));
    }
  }
  return risks.sort((a, b) => a.line - b.line);
}

type Add = (risk: Omit<Risk, 'line' | 'key'>, at: number, sample: string) => void;

function addCode(text: string, { start, end }: Span, isStatement: boolean, add: Add): void {
  const code = text.slice(start, end);
  const plain = code
    .replace(/\/\*[\s\S]*?\*\//g, ' ')
    .replace(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g, '0')
    .replace(/`(?:[^`\\$]|\\.|\$(?!\{))*`/g, '0');
  if (BROWSER.test(unescapeScript(plain)) || /constructor|__proto__/.test(unescapeScript(code))) {
    add({ code: 'script', blocks: true, message: 'code that uses browser objects' }, start, code);
  } else if (isStatement) {
    const what = /^import\b/.test(code) ? 'an import' : 'an export';
    add({ code: what === 'an import' ? 'import' : 'export', blocks: false, message: what }, start, code);
  } else if (
    /[(`+]|\w\s*\[|=>|\$\{|(?<![=!<>])=(?!=)|\b(?:function|new|class|async|await|yield|delete)\b/.test(
      plain.replace(/<\/?[a-z][^<>]*>/gi, ' '),
    )
  ) {
    add(
      { code: 'expression', blocks: false, message: 'an expression that is not a plain value' },
      start,
      code,
    );
  }
}

/** `\u0066etch` is `fetch`. */
function unescapeScript(code: string): string {
  return code.replace(/\\u([0-9a-f]{4})|\\u\{([0-9a-f]{1,6})\}|\\x([0-9a-f]{2})/gi, (all, four, any, two) => {
    const value = Number.parseInt(four ?? any ?? two, 16);
    return value <= 0x10ffff ? String.fromCodePoint(value) : all;
  });
}

/** Entities as the characters they are, each padded to its length so that offsets stay; no invisible characters. */
function readAsBrowser(text: string): string {
  const named: Record<string, string> = {
    colon: ':',
    tab: '\t',
    newline: '\n',
    lt: '&',
    lpar: '(',
    sol: '/',
    equals: '=',
    quot: '"',
    apos: "'",
  };
  return text.replace(
    /&(?:#x0{0,6}([0-9a-f]{1,6})|#0{0,6}(\d{1,7})|([a-z]{2,8}));?|[\0-\x08\x0b-\x1f\u00ad\u200b-\u200f\u2060\ufeff]/gi,
    (all, hex, decimal, name) => {
      if (all.length === 1) return ' ';
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      const char =
        name === undefined
          ? code < 0x80 && code !== 0x3c
            ? String.fromCharCode(code)
            : '?'
          : named[name.toLowerCase()];
      return char === undefined ? all : char === '\n' ? ' '.repeat(all.length) : char.padEnd(all.length);
    },
  );
}

/** What is found, to the end of its tag or line: a change beside it makes nothing new of it. */
function around(text: string, at: number): string {
  return /^[\s\S][^\n]{0,200}?(?:(?<!=)>|$)/m.exec(text.slice(at, at + 210))?.[0] ?? '';
}

/** Hosts that live parts of a text name, each once for its kind. */
export function findHosts(path: string, text: string): HostUse[] {
  const live = MARKDOWN.test(path) ? splitMdx(text, /x$/i.test(path)).live : text;
  const lineAt = lineCounter(live);
  const found = new Map<string, HostUse>();
  for (const match of live.matchAll(
    /(?:\b[a-z][a-z0-9+.-]{1,20}:[\\/]{2,}|(?<=[("'=<\s\]])[\\/]{2})([^\s\\/?#"'<>`)\]},]{1,300})/gi,
  )) {
    const host = hostOf(match[1] ?? '');
    if (host === null) continue;
    const before = live.slice(Math.max(0, match.index - 400), match.index);
    // The name of a namespace, which no browser contacts.
    if (/\sxmlns(?::[\w-]+)?\s*=\s*[{"'\s]*$/i.test(before)) continue;
    const isImage =
      /!\[[^\]\n]*\]\(\s*<?$|\b(?:src|srcset|poster|background|icon|img|image|logo|favicon|light|dark|og:image|data-src)["']?\s*[=:]\s*[{"'`(\s]*$|url\(\s*["']?$/i.test(
        before,
      );
    const use: HostUse = { host, kind: isImage ? 'image' : 'link', line: lineAt(match.index) };
    const key = `${use.kind} ${host}`;
    if (!found.has(key)) found.set(key, use);
  }
  return [...found.values()];
}

function hostOf(authority: string): string | null {
  const host = (authority.split('@').at(-1) ?? '')
    .replace(/:\d*$/, '')
    .replace(/[.;:!*_]+$/, '')
    .toLowerCase();
  return /^(?:[\p{L}\p{N}_-]+\.)+[\p{L}\p{N}-]+$|^localhost$|^\[[0-9a-f:.]+\]$/u.test(host) ? host : null;
}

/** Numbers of lines for offsets that mostly rise. */
function lineCounter(text: string): (at: number) => number {
  let line = 1;
  let last = 0;
  return (at) => {
    if (at < last) [line, last] = [1, 0];
    for (; last < at; last++) if (text.charCodeAt(last) === 10) line++;
    return line;
  };
}
