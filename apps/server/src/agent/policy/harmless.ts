import { removeSecrets } from './secrets.ts';
import { stripInvisible } from './unicode.ts';

/** Text of a model goes to people and forges only through here. `secrets` are removed with those known by form. */
export interface HarmlessOptions {
  /** Characters that may be left. */
  maxLength: number;
  secrets?: readonly string[];
}

/** Languages whose code blocks are only highlighted; forges draw or run others. */
const LANGUAGES = new Set(
  'bash c cpp csharp css diff go graphql html http ini java javascript js json jsonc jsx kotlin markdown md mdx php python py ruby rust sh shell sql swift text toml ts tsx txt typescript xml yaml yml'.split(
    ' ',
  ),
);

/** Words that close an issue when its number follows, with the characters allowed between them. */
const CLOSING =
  /\b(clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|implement(?:s|ed|ing)?)(\s*:?\s+)(?=\S*[#!/])/gi;

/** Lines that Git, forges and release tools read as fields of a commit. */
const TRAILER =
  /^([ \t>*-]*)([A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)+|BREAKING[ -]CHANGES?|Fixes|Closes|Resolves|Refs?|Cc)([ \t]*):(?=[ \t]|$)/gim;

/**
 * A text in which forges find nobody to notify, no issue to close, no command and no field: sigils are parted from
 * what they name by a blank (`@ alice`, `# 12`), which people can still read.
 */
function defuse(text: string): string {
  return (
    text
      .replace(/@(?=[\p{L}\p{N}_-])/gu, '@ ')
      .replace(/([#!%~&])(?=\d)/g, '$1 ')
      .replace(/\b(GH|GL)-(?=\d)/gi, '$1- ')
      .replace(/([~%])(?=[\p{L}"])/gu, '$1 ')
      .replace(TRAILER, '$1$2$3 -')
      // Commands of forges and bots begin a line.
      .replace(/^([ \t>*+\-\d.]*)\/(?=[a-z])/gim, '$1/ ')
      .replace(/\*{3,}/g, '**')
      .replace(/\b(bors|homu)(?=\s+[a-z])/gi, '$1,')
      .replace(/\b(skip|no)([ -])(ci|actions|checks)\b|\b(ci|actions)([ -])(skip)\b/gi, (all) =>
        all.replace(/[ -]/, '_'),
      )
  );
}

/** URLs without the part that makes them links. */
function plainAddresses(text: string): string {
  return text.replace(/\b[a-z][a-z0-9+.-]{1,20}:\/\/(?=\S)/gi, '').replace(/\bwww\.(?=\S)/gi, 'www .');
}

function clean(text: string, options: HarmlessOptions): string {
  // Invisible characters go first, so that a secret with such between its letters is one word.
  const plain = stripInvisible(text.replace(/\r\n?|[\u0085\u2028\u2029]/g, '\n'));
  return removeSecrets(plain, options.secrets ?? []).replace(/\u00a0/g, ' ');
}

/** Cuts at the end of a line, or of a word, and reports it. */
function cut(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const room = Math.max(0, maxLength - 4);
  let kept = text.slice(0, room);
  if (/[\ud800-\udbff]$/.test(kept)) kept = kept.slice(0, -1);
  const line = kept.lastIndexOf('\n');
  if (line > room / 2) kept = kept.slice(0, line);
  return `${kept.trimEnd()} ...`;
}

/** One line of plain text, for the title of a pull request or the subject of a commit; `fallback` when none is left. */
export function harmlessTitle(text: string, options: HarmlessOptions, fallback = 'Update the docs'): string {
  let title = clean(text.slice(0, 4000), options).replace(/\s+/g, ' ').trim();
  title = plainAddresses(title)
    .replace(/[<>`\\]/g, '')
    .replace(/[[{]/g, '(')
    .replace(/[\]}]/g, ')');
  // What forges and Git read at the front: drafts, and commits to be folded into others.
  for (let before = ''; before !== title; ) {
    before = title;
    title = title
      .replace(/^\s*\(?(?:draft|wip|work in progress)\)?\s*(?::|-|\)|$)\s*/i, '')
      .replace(/^(?:fixup|squash|amend|revert)!\s*/i, '')
      .replace(/^[\s#>*+/.-]+/, '');
  }
  title = defuse(title).replace(/\s+/g, ' ').trim();
  title = cut(title, options.maxLength);
  return /[\p{L}\p{N}]/u.test(title) ? title : fallback;
}

/** Plain paragraphs for the body of a commit. */
export function harmlessCommitText(text: string, options: HarmlessOptions): string {
  const whole = clean(text.slice(0, options.maxLength * 4), options)
    .replace(/<!--[\s\S]*?(?:-->|$)|<\/?[a-z][^<>\n]{0,2000}>/gi, ' ')
    .replace(/!\[([^\]\n]{0,300})\]\([^)\n]{0,2000}\)/g, '(picture: $1)')
    .replace(/\[([^\]\n]{1,300})\]\(([^)\n]{0,2000})\)/g, '$1 ($2)');
  const lines = plainAddresses(whole)
    .replace(/[<>`\\]/g, '')
    .replace(/\[/g, '(')
    .replace(/\]/g, ')')
    .split('\n')
    // `#` starts a comment of Git, `---` the end of a message in a patch, `diff` a patch.
    .map((line) =>
      line
        .replace(/^\s*#+\s+/, '')
        .replace(/^\s*(?:#+|-{3,}|={3,}|~{3,}|diff --git|index )/, ' ')
        .trimEnd(),
    );
  const body = defuse(lines.join('\n'))
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  return cut(body, options.maxLength);
}

/**
 * Markdown for a pull request that keeps headings, lists, emphasis, tables and code, and nothing else: addresses are
 * shown as code and link nowhere, images and HTML are gone, nobody is mentioned, no issue is referred to.
 */
export function harmlessMarkdown(text: string, options: HarmlessOptions): string {
  const source = clean(text.slice(0, options.maxLength * 4), options);
  // What was escaped is longer than what came.
  for (let room = options.maxLength; room > 16; room = Math.floor(room * 0.7)) {
    const result = rewrite(cut(source, room).split('\n'));
    if (result.length <= options.maxLength) return result;
  }
  return '';
}

function rewrite(lines: readonly string[]): string {
  const result: string[] = [];
  let prose: string[] = [];
  const flush = (): void => {
    if (prose.length > 0) result.push(harmlessProse(prose.join('\n')));
    prose = [];
  };
  for (let index = 0; index < lines.length; index++) {
    const open = /^\s*(`{3,}|~{3,})\s*([^`]*)$/.exec(lines[index] ?? '');
    if (open === null) {
      prose.push(lines[index] ?? '');
      continue;
    }
    const fence = open[1] ?? '';
    const isEnd = (line: string): boolean => {
      const end = line.trim();
      return end.length >= fence.length && end === (fence[0] ?? '').repeat(end.length);
    };
    let last = index + 1;
    while (last < lines.length && !isEnd(lines[last] ?? '')) last++;
    flush();
    result.push(codeBlock(lines.slice(index + 1, last), open[2] ?? ''));
    index = last;
  }
  flush();
  return result
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

function codeBlock(lines: readonly string[], info: string): string {
  const language = /^[A-Za-z]+/.exec(info.trim())?.[0].toLowerCase() ?? '';
  const body = lines.map((line) => harmlessCode(line).replace(/^\//, ' /')).join('\n');
  const longest = Math.max(2, ...[...body.matchAll(/`+/g)].map((match) => match[0].length));
  const fence = '`'.repeat(longest + 1);
  return `\n${fence}${LANGUAGES.has(language) ? language : ''}\n${body}\n${fence}\n`;
}

/**
 * Code is shown unchanged, but a squashed pull request turns into a commit message, where code is not
 * special.
 */
function harmlessCode(text: string): string {
  return text
    .replace(CLOSING, '$1 - ')
    .replace(TRAILER, '$1$2$3 -')
    .replace(/\[(?=[^\]]{0,30}(?:skip|no)[ -](?:ci|actions|checks)|(?:ci|actions)[ -]skip)/gi, '(');
}

/** Pieces of one line or more: code, images and links with their addresses, bare addresses, comments and tags. */
const PIECES =
  /(?<code>(?<ticks>`{1,8})(?!`)(?<inner>[^`\n]{1,500})\k<ticks>(?!`))|(?<image>!\[(?<alt>[^\]\n]{0,300})\](?:\([^)\n]{0,2000}\)|\[[^\]\n]{0,300}\])?)|(?<link>\[(?<label>[^\]\n]{1,300})\]\((?<target>[^)\n]{0,2000})\))|(?<comment><!--[\s\S]*?(?:-->|$))|(?<address><?(?<![A-Za-z0-9])(?:[a-z][a-z0-9+.-]{1,20}:\/\/|mailto:|www\.)[^\s<>`]{1,2000}>?)|(?<tag><\/?[a-z][^<>\n]{0,2000}>)/gi;

function harmlessProse(text: string): string {
  let result = '';
  let at = 0;
  for (const match of text.matchAll(PIECES)) {
    result += escapeProse(text.slice(at, match.index), result);
    at = match.index + match[0].length;
    const { inner, image, alt, label, target, address } = match.groups ?? {};
    if (inner !== undefined) result += span(inner);
    else if (image !== undefined)
      result += escapeProse(`(picture${alt?.trim() ? `: ${alt.trim()}` : ''})`, result);
    else if (label !== undefined) {
      const shown = escapeProse(label.replace(/`/g, ''), result);
      const where = (target ?? '').trim().replace(/^<|>?(?:\s+["'(].*)?$/g, '');
      result += where === '' ? shown : `${shown} (${span(where)})`;
    } else if (address !== undefined) result += span(address.replace(/^<|>$/g, ''));
    // A space for the removed part, so that its neighbors do not join: `@<b>somebody`.
    else result += ' ';
  }
  return result + escapeProse(text.slice(at), result);
}

function span(text: string): string {
  const inner = harmlessCode(text.replace(/[`\n]/g, ' ')).trim();
  return inner === '' ? '' : `\`${inner}\``;
}

/** Escapes what makes more of a text than paragraphs, headings, lists, quotes, tables and emphasis. */
function escapeProse(text: string, before: string): string {
  const isLineStart = /(?:^|\n)[ \t>*+\-\d.]*$/.test(before.slice(-200));
  const defused = defuse(isLineStart ? text : `\u0000${text}`).replace('\u0000', '');
  return (
    defused
      .replace(/\\/g, '\\\\')
      .replace(/&(?=#|[a-z][a-z0-9]*;)/gi, '&amp;')
      .replace(/</g, '&lt;')
      .replace(/[[\]`$]/g, '\\$&')
      .replace(/^(\s*[-*+]\s+)\\\[([ xX])\\\](?=\s)/gm, '$1[$2]')
      .replace(/~{3,}/g, '~~')
      // What is left of addresses after the pieces were taken out.
      .replace(/:\/\//g, ': //')
      .replace(/\bwww\./gi, 'www .')
      // A number sign followed by an inserted space is not a heading.
      .replace(/^(\s*)#(?= \d+\b)/gm, '$1\\#')
  );
}
