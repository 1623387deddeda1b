import ignore from 'ignore';
import type { SourceTree } from '../source.ts';
import { readTextFile } from '../text-file.ts';
import type { Warn } from '../warning.ts';

/** Never published, whatever lists them (format of docs.json, default ignores). */
const NEVER = [
  '.git',
  '.github',
  '.claude',
  '.agents',
  '.idea',
  '.vscode',
  '.cursor',
  'node_modules',
  '.cache',
];
/** Left out unless the navigation lists them or a page links to them: they are common names of sections, too. */
const UNLISTED = ['/build/', '/dist/', '/coverage/', '/tmp/', '/temp/'];
const UNLISTED_FILE = /(?:^|\/)(?:readme|license|changelog|contributing|contribute)\.md$/i;

const MAX_RULES = 500;
const MAX_RULE_LENGTH = 512;
/** Stars of one segment, and `**` of one rule: each more multiplies the time that a hostile rule can take. */
const MAX_STARS = 3;
const MAX_DOUBLE_STARS = 2;

export interface IgnoreRules {
  /** Is not part of the site at all. */
  ignored(path: string): boolean;
  /** Is not a page unless the navigation lists it, and not an asset: a README and the like, or `isGenerated`. */
  unlisted(path: string): boolean;
  /** Is in a folder whose name is that of generated files: part of the site where a page links to it. */
  isGenerated(path: string): boolean;
}

/** The default rules and those of `.mintignore` (gitignore syntax), which may take the defaults back by `!`. */
export function readIgnoreRules(source: SourceTree, warn: Warn): IgnoreRules {
  const own = source.has('.mintignore') ? readRules(readTextFile(source, '.mintignore', warn), warn) : [];
  const never = ignore().add(NEVER).add(own);
  const unlisted = ignore().add(UNLISTED).add(own);
  const takesBack = own.some((rule) => rule.startsWith('!'));
  return {
    ignored: (path) => isHidden(path) || never.ignores(path),
    isGenerated: (path) => unlisted.ignores(path),
    unlisted: (path) =>
      unlisted.ignores(path) || (UNLISTED_FILE.test(path) && !(takesBack && never.test(path).unignored)),
  };
}

function readRules(text: string, warn: Warn): string[] {
  const rules: string[] = [];
  for (const [index, line] of text.split('\n', 10 * MAX_RULES).entries()) {
    const rule = line.replace(/\r$/, '');
    if (rule.trim() === '' || rule.startsWith('#')) continue;
    if (rules.length < MAX_RULES && isCheap(rule)) rules.push(rule);
    else {
      const message = `A rule is limited to ${MAX_RULE_LENGTH} characters, ${MAX_STARS} stars between two slashes and ${MAX_DOUBLE_STARS} double stars, a file to ${MAX_RULES} rules; this rule was ignored.`;
      warn({ file: '.mintignore', line: index + 1, code: 'ignore-rule', message });
      if (rules.length >= MAX_RULES) break;
    }
  }
  return rules;
}

function isCheap(rule: string): boolean {
  if (rule.length > MAX_RULE_LENGTH) return false;
  const segments = rule.split('/');
  const isDouble = (segment: string): boolean => /^\*{2,}$/.test(segment);
  if (segments.filter(isDouble).length > MAX_DOUBLE_STARS) return false;
  return segments.every((segment) => isDouble(segment) || segment.split('*').length - 1 <= MAX_STARS);
}

/** Files and folders with a dot are settings or secrets; only these are content. */
function isHidden(path: string): boolean {
  if (!path.startsWith('.') && !path.includes('/.')) return false;
  if (path.startsWith('.well-known/'))
    return path.slice('.well-known/'.length).split('/').some(startsWithDot);
  if (path.startsWith('.mintlify/')) {
    const rest = path.slice('.mintlify/'.length);
    if (rest.split('/').some(startsWithDot)) return true;
    return !rest.startsWith('skills/') && !/\.(?:json|ya?ml)$/i.test(rest);
  }
  return true;
}

const startsWithDot = (segment: string): boolean => segment.startsWith('.');
