/**
 * Looks for rejected phrases in documentation, messages and comments: `node scripts/words.ts [path...]`. Without a path it checks
 * everything that `npm run check` requires. The phrases are in rejected-phrases.ts, the words to use in CONTRIBUTING.md.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync, Visitor } from 'oxc-parser';
import { type Phrase, phrases } from './rejected-phrases.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Files and folders that `npm run check` holds to the list. */
const roots = [
  'README.md',
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'apps/dashboard',
  'apps/server',
  'apps/site',
  'packages/bundle',
  'packages/search',
  'packages/client',
  'packages/contract',
  'packages/render',
  'test',
  'bench',
  'scripts',
  'apps/cli',
  'deploy',
  'docs',
];

/** Files whose words are not the project's own, with the reason. */
const exceptions: readonly (readonly [path: RegExp, reason: string])[] = [
  [/(^|\/)(fixtures?|snapshots|corpora)\//, 'sample input of tests'],
  [/^(scripts\/rejected-phrases|test\/words\.test)\.ts$/, 'the phrases themselves'],
  [/^deploy\/github-action\/dist\//, 'generated'],
  [/^packages\/render\/src\/theme\/words\/(?!en)/, 'other languages'],
  [/^packages\/render\/src\/icons\/nearest\.txt$/, 'names of icons'],
  [/^packages\/render\/src\/diagrams\/notices\.txt$/, 'licenses of others'],
  [/(^|\/)(package-lock\.json|LICENSE)$/, 'not written by the project'],
  [
    /\/db\/migrations\/.*\.sql$/,
    'databases store the checksums of applied migrations, so the files never change',
  ],
];

const CODE = /\.(?:[cm]?[jt]sx?)$/;
const MARKDOWN = /\.mdx?$/;
const DATA =
  /\.(?:ya?ml|tpl|txt|sh|css|sql)$|values\.schema\.json$|docs\.json$|(?:^|\/)Dockerfile$|^\.ci\/run$/;
const TEST = /\.test\.tsx?$|(?:^|\/)test\/|\.suite\.ts$|\.fixture\.ts$/;

/** Stands for text that is not prose. Neither a letter nor white space, so no phrase continues across it. */
const GAP = '\u0001';

const blank = (text: string) => text.replace(/[^\n]/g, GAP);
const hide = (text: string, pattern: RegExp) => text.replace(pattern, blank);

/** `text` with everything but the given ranges hidden; offsets stay. */
function only(text: string, ranges: readonly [start: number, end: number][]): string {
  let kept = '';
  let position = 0;
  for (const [start, end] of [...ranges].sort((a, b) => a[0] - b[0])) {
    if (end <= position) continue;
    const from = Math.max(start, position);
    kept += blank(text.slice(position, from)) + text.slice(from, end);
    position = end;
  }
  return kept + blank(text.slice(position));
}

function proseOfMarkdown(text: string): string {
  const withoutFences = text.replace(
    /^([ \t]*)(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^[ \t]*\2[`~]*[ \t]*$|$(?![\s\S]))/gm,
    blank,
  );
  const withoutCode = hide(withoutFences, /(`+)(?!`)[^\n]*?[^`]\1(?!`)/g);
  const withoutTargets = hide(
    withoutCode,
    /(?<=\])\([^)\n]*\)|\b(?:href|src|img|icon|id)="[^"]*"|<https?:[^>]*>/g,
  );
  return hide(withoutTargets, /<\/?[A-Za-z][\w.-]*|^(?:import|export) [^\n]*/gm);
}

/** Comments and strings with white space of source code; of tests, comments and titles. */
function proseOfCode(path: string, text: string): string {
  const { program, comments } = parseSync(path, text);
  const ranges: [number, number][] = comments.map(({ start, end }) => [start, end]);
  const add = ({ start, end }: { start: number; end: number }) => {
    if (/\s/.test(text.slice(start, end))) ranges.push([start, end]);
  };
  if (TEST.test(path)) {
    new Visitor({
      CallExpression({ callee, arguments: [title] }) {
        const name = /^(?:test|it|describe)\b/.test(text.slice(callee.start, callee.start + 9));
        if (name && (title?.type === 'Literal' || title?.type === 'TemplateLiteral')) add(title);
      },
    }).visit(program);
  } else {
    new Visitor({
      Literal(node) {
        if (typeof node.value === 'string') add(node);
      },
      TemplateElement: add,
      JSXText: add,
    }).visit(program);
  }
  const prose = only(text, ranges);
  // Marks of comments become spaces, so that a phrase is found across lines.
  const marked = prose.replace(/^([ \t\u0001]*)(\/\/|\/?\*+)(?=[ \n])/gm, (line) => ' '.repeat(line.length));
  return hide(marked, /`[^`\n]*`/g);
}

/** The words of a file that people read, everything else hidden; as long as the text. */
export function proseOf(path: string, text: string): string {
  if (MARKDOWN.test(path)) return proseOfMarkdown(text);
  if (CODE.test(path)) return proseOfCode(path, text);
  const marked = text.replace(/^[ \t]*#+(?= )/gm, (mark) => ' '.repeat(mark.length));
  return hide(hide(marked, /`[^`\n]*`/g), /\b(?:include|template|define) "[^"]*"|\b[\w.-]+[:@/][\w./-]+/g);
}

export interface Finding {
  file: string;
  line: number;
  text: string;
  instead: string;
}

const compiled = phrases.map((phrase: Phrase) => ({
  ...phrase,
  expression: new RegExp(
    phrase.pattern.replaceAll('(?<=^|', '(?<=^\\s*|').replaceAll(/(?<!\\) /g, '\\s+'),
    'gim',
  ),
}));

/** Rejected phrases of one file. `path` is relative to the root of the project, with slashes. */
export function checkText(path: string, text: string): Finding[] {
  const prose = proseOf(path, text);
  const docs = !CODE.test(path);
  return compiled
    .filter(({ docsOnly }) => docs || !docsOnly)
    .filter(({ except }) => except === undefined || !new RegExp(except).test(path))
    .flatMap(({ expression, instead }) =>
      [...prose.matchAll(expression)].map((match) => ({
        file: path,
        line: text.slice(0, match.index).split('\n').length,
        text: match[0].replaceAll(/\s+/g, ' ').trim(),
        instead,
      })),
    )
    .sort((a, b) => a.line - b.line);
}

/** Rejected phrases below the given paths, files that Git knows or would add. */
export function checkTree(paths: readonly string[] = roots): Finding[] {
  const list = execFileSync(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...paths],
    {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  return [...new Set(list.split('\0'))]
    .filter((path) => CODE.test(path) || MARKDOWN.test(path) || DATA.test(path))
    .filter((path) => !exceptions.some(([excepted]) => excepted.test(path)))
    .flatMap((path) => checkText(path, read(path)));
}

/** A file that Git knows may be deleted in the working tree. */
function read(path: string): string {
  try {
    return readFileSync(join(root, path), 'utf8');
  } catch {
    return '';
  }
}

if (import.meta.main) {
  const paths = process.argv.slice(2).map((path) => relative(root, path).split(sep).join('/') || '.');
  const findings = checkTree(paths.length > 0 ? paths : undefined);
  for (const { file, line, text, instead } of findings) {
    process.stdout.write(`${file}:${line}: "${text}" (write: ${instead})\n`);
  }
  if (findings.length > 0) process.stderr.write(`${findings.length} rejected phrases\n`);
  process.exitCode = findings.length > 0 ? 1 : 0;
}
