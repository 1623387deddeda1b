import type { CodeFound, DocsCheck } from '../check/docs-check.ts';
import { createWorkspace } from '../workspace/overlay.ts';
import type { BaseTree, Change, Workspace } from '../workspace/workspace.ts';
import type { ScanNote } from './diff-scan.ts';
import { currentNames, isData } from './docs-files.ts';
import { unnamedFault, WRITABLE } from './paths.ts';
import { findInSettings, type SettingsCode } from './settings-code.ts';

/** What a person decides about, and what must not be published. */
export interface Inspection {
  /** New code that runs in the browsers of readers: a person releases it. */
  held: ScanNote[];
  /** Files that are not what they have to be. */
  refused: ScanNote[];
}

const HELD = 'browser-code';

/** Bytes of a file that is searched for what the base does already. A larger one is not, and its code is held. */
const MAX_SEARCHED = 1_000_000;

interface Text {
  path: string;
  text: string;
  variables: Readonly<Record<string, string>>;
}

/**
 * Looks for what the changes bring to the browsers of readers that the base does not: by syntax, in a child. Existing
 * code does not count, wherever it was moved to. Without a result everything is held: not examined is not harmless.
 */
export async function inspectChanges(
  workspace: Workspace,
  check: Pick<DocsCheck, 'inspect'>,
  signal: AbortSignal,
): Promise<Inspection> {
  const changes = workspace.changes();
  if (changes.length === 0) return { held: [], refused: [] };
  const settings = settingsOf(workspace, changes);
  const texts = changes.filter(({ path }) => !isSettings(path, workspace));
  const before = textsOf(texts, 'before', settings.variables.before);
  const after = textsOf(texts, 'after', settings.variables.after);
  const created = changes.filter(({ path, kind }) => kind === 'added' && isData(path));
  const { parts } = currentNames(workspace);
  const descriptions = textsOf(created, 'after', {}).filter(({ path }) => !parts.has(path));
  const markup = settings.markup.map(({ text }) => text);
  const result = await check.inspect({ files: [...before, ...after], markup, descriptions }, signal);
  if (result.status === 'not_inspected') {
    const message = `The changes were not examined for code that runs in browsers: ${result.reason}`;
    return { held: [{ path: '', line: null, code: HELD, message }], refused: [] };
  }
  const known = createKnown(workspace.base);
  const fresh = [
    ...newCode(after, result.files.slice(before.length), result.files.slice(0, before.length)),
    ...settings.found,
    ...settings.markup.flatMap(({ path, line }, index) =>
      (result.markup[index] ?? []).map((code) => ({ ...code, path, line })),
    ),
  ];
  const held = fresh
    .filter(({ unless }) => unless === null || !known(unless))
    .map(({ path, line, what }) => ({ path, line, code: HELD, message: `has ${what}` }));
  const refused = created.flatMap(({ path }): ScanNote[] => {
    const fault = dataFault(path, workspace, descriptions, result.descriptions);
    const message = `must not be written: ${fault}. ${WRITABLE}`;
    return fault === null ? [] : [{ path, line: null, code: 'path', message }];
  });
  return { held, refused };
}

function textsOf(changes: readonly Change[], side: 'before' | 'after', variables: Text['variables']): Text[] {
  return changes.flatMap((change) => {
    const text = change[side];
    return text === null ? [] : [{ path: change.path, text, variables }];
  });
}

/** Code of the changed files that none of them had before; each piece counts as often as it is there. */
function newCode(
  files: readonly Text[],
  now: readonly CodeFound[][],
  before: readonly CodeFound[][],
): (CodeFound & { path: string })[] {
  const left = new Map<string, number>();
  for (const { key } of before.flat()) left.set(key, (left.get(key) ?? 0) + 1);
  return files.flatMap(({ path }, index) =>
    (now[index] ?? [])
      .filter(({ key }) => {
        const count = left.get(key) ?? 0;
        left.set(key, count - 1);
        return count <= 0;
      })
      .map((code) => ({ ...code, path })),
  );
}

/** Why a new JSON or YAML file may not stay: it is neither a part of docs.json nor an API description in use. */
function dataFault(
  path: string,
  workspace: Workspace,
  descriptions: readonly { path: string }[],
  faults: readonly (string | null)[],
): string | null {
  if (currentNames(workspace).parts.has(path)) return null;
  const index = descriptions.findIndex((one) => one.path === path);
  const fault = faults[index] ?? null;
  if (fault !== null) return `it is not an API description: ${fault}`;
  return unnamedFault(path, workspace);
}

function isSettings(path: string, workspace: Workspace): boolean {
  return /^(?:docs|mint)\.json$/.test(path) || currentNames(workspace).parts.has(path);
}

function settingsOf(workspace: Workspace, changes: readonly Change[]): SettingsCode {
  const before = createWorkspace(workspace.base, new Map());
  if (changes.some(({ path }) => path.endsWith('.json'))) return findInSettings(before, workspace);
  // Unchanged settings have nothing new; their variables are part of the pages.
  const { variables } = findInSettings(before, before);
  return { found: [], markup: [], variables };
}

/** Whether the base does the same already, in any of its files. Texts are read only when somebody asks. */
function createKnown(base: BaseTree): (known: NonNullable<CodeFound['unless']>) => boolean {
  const workspace = createWorkspace(base, new Map());
  const answers = new Map<string, boolean>();
  const search = ({ kind, name }: NonNullable<CodeFound['unless']>): boolean => {
    const literal = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    const isOf: Record<typeof kind, { path: RegExp; form: RegExp }> = {
      import: {
        path: /\.(?:mdx?|[jt]sx?)$/i,
        form: new RegExp(`\\bfrom\\s*["']${literal}["']|\\bimport\\s*["']${literal}["']`),
      },
      frame: {
        path: /\.(?:mdx?|[jt]sx?)$/i,
        form: new RegExp(`<i?frame\\b[^<>]{0,2000}//${literal}(?![\\w.-])`, 'i'),
      },
      api: {
        path: /\.(?:json|ya?ml|mdx?)$/i,
        form: new RegExp(
          `^\\s*["']?[\\w-]*(?:url|host|server|api|source|openapi)\\w*["']?\\s*:[^\\n]{0,200}?(?://|["'\\s])${literal}(?![\\w.-])|^\\s*-\\s*["']?https?://${literal}(?![\\w.-])`,
          'im',
        ),
      },
    };
    const { path, form } = isOf[kind];
    return workspace
      .list()
      .some(
        (file) =>
          file.isText &&
          file.bytes <= MAX_SEARCHED &&
          path.test(file.path) &&
          form.test(workspace.read(file.path) ?? ''),
      );
  };
  return (known) => {
    const key = `${known.kind}\0${known.name}`;
    const before = answers.get(key) ?? search(known);
    answers.set(key, before);
    return before;
  };
}
