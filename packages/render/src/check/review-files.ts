import { parseDocument } from 'yaml';
import { entryPath } from '../nav/path.ts';
import type { SourceTree } from '../source.ts';
import type { Warn } from '../warning.ts';

/** A query of the search with the page that is expected first. */
export interface TestQuery {
  query: string;
  /** Path of a page, without slashes at its ends and without extension. */
  expect: string;
}

const CHECKS = ['links', 'anchors', 'files', 'queries', 'removed'] as const;
const LEVELS = ['fail', 'warn', 'off'] as const;
type Check = (typeof CHECKS)[number];
type Level = (typeof LEVELS)[number];

/** What a team keeps for change reports in `.offprint`. */
export interface ReviewFiles {
  queries: TestQuery[];
  /** Levels that are set. */
  levels: Partial<Record<Check, Level>>;
}

export const QUERIES_FILE = '.offprint/queries.yaml';
export const CHECKS_FILE = '.offprint/checks.yaml';

const MAX_BYTES = 256 * 1024;
const MAX_QUERIES = 500;
const MAX_TEXT = 300;

/** Reads the test queries and the levels of checks. What is not valid is left out with a warning. */
export function readReviewFiles(source: SourceTree, warn: Warn): ReviewFiles {
  return { queries: readQueries(source, warn), levels: readLevels(source, warn) };
}

function readQueries(source: SourceTree, warn: Warn): TestQuery[] {
  const value = readYaml(source, QUERIES_FILE, warn);
  if (value === undefined) return [];
  const fault = (message: string): void =>
    warn({ file: QUERIES_FILE, line: null, code: 'review-file', message });
  if (!Array.isArray(value)) {
    fault('The file must be a list of entries with `query` and `expect`.');
    return [];
  }
  if (value.length > MAX_QUERIES) fault(`Only the first ${MAX_QUERIES} queries are used.`);
  return value.slice(0, MAX_QUERIES).flatMap((entry: unknown, at) => {
    const { query, expect } = membersOf(entry);
    if (typeof query === 'string' && typeof expect === 'string' && query.trim() !== '')
      return [{ query: query.trim().slice(0, MAX_TEXT), expect: entryPath(expect.slice(0, MAX_TEXT)) }];
    fault(`Entry ${at + 1} needs \`query\`, a text, and \`expect\`, the path of a page.`);
    return [];
  });
}

function readLevels(source: SourceTree, warn: Warn): ReviewFiles['levels'] {
  const value = readYaml(source, CHECKS_FILE, warn);
  if (value === undefined) return {};
  const levels: ReviewFiles['levels'] = {};
  for (const [name, written] of Object.entries(membersOf(value))) {
    const check = CHECKS.find((one) => one === name);
    // YAML 1.1 reads `off` as false.
    const level = written === false ? 'off' : LEVELS.find((one) => one === written);
    if (check !== undefined && level !== undefined) levels[check] = level;
    else {
      const message = `\`${name.slice(0, 50)}\` was ignored: checks are ${CHECKS.join(', ')}, with one of ${LEVELS.join(', ')}.`;
      warn({ file: CHECKS_FILE, line: null, code: 'review-file', message });
    }
  }
  return levels;
}

function membersOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : {};
}

/** The content of a YAML file; undefined if it is missing or not valid. */
function readYaml(source: SourceTree, file: string, warn: Warn): unknown {
  if (!source.has(file)) return undefined;
  const fault = (message: string): undefined => {
    warn({ file, line: null, code: 'review-file', message });
    return undefined;
  };
  if (source.size(file) > MAX_BYTES) return fault(`The file is larger than ${MAX_BYTES / 1024} KB.`);
  const document = parseDocument(source.readText(file), { uniqueKeys: false, merge: false });
  const [error] = document.errors;
  if (error !== undefined) return fault(`The file is not valid YAML: ${error.message.split('\n', 1)[0]}`);
  try {
    return document.toJS({ maxAliasCount: 0 });
  } catch {
    return fault('Aliases are not supported in this file.');
  }
}
