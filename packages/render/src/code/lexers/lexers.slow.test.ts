import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { corpora, NO_CORPORA } from '../../../../../test/support/corpora.ts';
import { highlightTree } from '../nested.ts';
import type { Span } from '../spans.ts';
import { highlightLexed, type LexerName } from './index.ts';

const sites = corpora();

/** The parser that serves as the measure, and names in fences. */
const LANGUAGES = [
  ['json', /^json$/, { kind: 'lezer', module: '@lezer/json' }],
  ['python', /^(?:py|python)$/, { kind: 'lezer', module: '@lezer/python' }],
  ['javascript', /^(?:jsx?|javascript)$/, { kind: 'lezer', module: '@lezer/javascript', dialect: 'jsx' }],
  ['typescript', /^(?:ts|typescript)$/, { kind: 'lezer', module: '@lezer/javascript', dialect: 'ts' }],
  ['tsx', /^tsx$/, { kind: 'lezer', module: '@lezer/javascript', dialect: 'ts jsx' }],
  ['yaml', /^ya?ml$/, { kind: 'lezer', module: '@lezer/yaml' }],
] as const satisfies readonly (readonly [LexerName, RegExp, Parameters<typeof highlightTree>[1]])[];

const FENCE = /^([ \t]*)(```+|~~~+)([^\n]*)\n([\s\S]*?)^\1\2[ \t]*$/gm;

function fencesOf(language: RegExp): Set<string> {
  const found = new Set<string>();
  for (const { folder } of sites) {
    for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      if (!/\.mdx?$/.test(file)) continue;
      for (const [, , , info = '', code = ''] of readFileSync(join(folder, file), 'utf8').matchAll(FENCE))
        if (language.test(info.trim().toLowerCase().split(/[\s{]/)[0] ?? '')) found.add(code);
    }
  }
  return found;
}

/** The parser finds no comments and keys after an error, and many blocks are not YAML. */
function isYaml(code: string): boolean {
  return [...parseAllDocuments(code)].every(({ errors }) => errors.length === 0);
}

function classes(length: number, spans: readonly Span[]): string[] {
  const all = new Array<string>(length).fill('');
  for (const { from, to, className } of spans) all.fill(className, from, to);
  return all;
}

test.skipIf(sites.length === 0).each(LANGUAGES)(
  `%s: 97%% of the characters of real code blocks have the class that a parser gives them${sites.length === 0 ? ` (${NO_CORPORA})` : ''}`,
  (name, language, grammar) => {
    let all = 0;
    let same = 0;
    for (const code of fencesOf(language)) {
      if (name === 'yaml' && !isYaml(code)) continue;
      const own = classes(code.length, highlightLexed(code, name));
      const other = classes(code.length, highlightTree(code, grammar));
      for (let at = 0; at < code.length; at++) {
        if (/\s/.test(code[at] ?? '')) continue;
        all++;
        if (own[at] === other[at]) same++;
      }
    }
    expect(all).toBeGreaterThan(1000);
    expect(same / all).toBeGreaterThan(0.97);
  },
);
