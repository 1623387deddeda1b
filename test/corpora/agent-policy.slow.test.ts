/** What agent jobs may not publish, held against real docs: rules that hit what people write every day are none. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { inspectTexts } from '../../apps/server/src/agent/check/inspect-texts.ts';
import { scanChanges } from '../../apps/server/src/agent/policy/diff-scan.ts';
import { FOREIGN_PATHS } from '../../apps/server/src/agent/policy/foreign-paths.fixture.ts';
import { findRisks } from '../../apps/server/src/agent/policy/mdx-risk.ts';
import { writeFault } from '../../apps/server/src/agent/policy/paths.ts';
import { findSecrets } from '../../apps/server/src/agent/policy/secrets.ts';
import { findInvisible } from '../../apps/server/src/agent/policy/unicode.ts';
import type { WritePolicy } from '../../apps/server/src/agent/policy/write-policy.ts';
import { createWorkspace } from '../../apps/server/src/agent/workspace/overlay.ts';
import { corpora, corporaFolder, NO_CORPORA, pageFiles } from '../support/corpora.ts';
import { treeOf, treeOfFolder } from '../support/docs-tree.ts';

/** A key in the form of a provider, whole and random, in the sample of a page. */
const KNOWN_SECRETS = ['traceloop__docs/openllmetry/integrations/braintrust.mdx'];
/** Values as a job knows them: none of them is in any text. */
const OWN = ['sk-ant-api03-vLr8Qm2Xw5Tn9Kb4Zc7Hd1Jf6Gs3Py0Rq', 'ghp_4Zc7Hd1Jf6Gs3Py0RqvLr8Qm2Xw5Tn9Kb'];

/** Instructions for agents, which stand among the pages. */
const isAgents = (path: string): boolean => /(?:AGENTS|CLAUDE|skill)\.md$/i.test(path);

const files = corpora().flatMap(({ name, folder }) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(mdx?|json|ya?ml|svg|css)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ name: `${name}/${path.slice(folder.length + 1)}`, text: readFileSync(path, 'utf8') })),
);

/** The middle one of the lines of prose, with another word in the place of one; null without such a line. */
function withOtherWord(text: string, end: string): string | null {
  const lines = text.split(end);
  const prose: number[] = [];
  let fence: string | null = null;
  for (const [at, line] of lines.entries()) {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1] ?? null;
    if (mark !== null) fence = fence === null ? mark : mark.startsWith(fence) ? null : fence;
    else if (fence === null && /^[A-Z][a-z]* [a-z]{4,} [a-z ,]+/.test(line)) prose.push(at);
  }
  const chosen = prose[prose.length >> 1];
  if (chosen === undefined) return null;
  const changed = lines[chosen]?.replace(/ [a-z]{4,} /, ' different ') ?? '';
  return lines.with(chosen, changed).join(end);
}

describe.skipIf(corporaFolder() === null)(
  corporaFolder() === null ? `agent jobs on real docs (${NO_CORPORA})` : 'agent jobs on real docs',
  () => {
    const sites = corpora().map(({ name, folder }) => {
      const tree = treeOfFolder(folder);
      return { name, folder, paths: [...tree.entries.keys()], workspace: createWorkspace(tree, new Map()) };
    });
    const refusedOf = (pathsOf: (site: (typeof sites)[number]) => string[], policy: WritePolicy) =>
      sites.flatMap((site) =>
        pathsOf(site)
          .filter((path) => writeFault(path, policy, site.workspace) !== null)
          .map((path) => `${site.name}/${path}`),
      );

    test.each([[''], ['docs']])(
      'every page, snippet, image and API description may be written, in %j',
      (docsFolder) => {
        const policy = { docsFolder, allow: [] };
        const shown = (path: string): boolean => !/(?:^|\/)\./.test(path);
        const pages = refusedOf(({ folder }) => pageFiles(folder), policy);
        expect(pages.filter((path) => !isAgents(path))).toEqual([]);
        const snippets = ({ paths }: { paths: string[] }) =>
          paths.filter((path) => /(?:^|\/)_?snippets\/.*\.mdx?$/.test(path));
        expect(refusedOf(snippets, policy)).toEqual([]);
        const images = ({ paths }: { paths: string[] }) =>
          paths.filter((path) => shown(path) && /\.(?:svg|png|jpe?g|webp|ico)$/.test(path));
        expect(refusedOf(images, policy)).toEqual([]);
        expect(
          refusedOf((site) => images(site).map((path) => path.replace(/[^/]*$/, 'new-figure.svg')), policy),
        ).toEqual([]);
        const isApi = (text: string): boolean =>
          /^\W{0,5}(?:openapi|asyncapi|swagger)\W{1,4}\d/m.test(text.slice(0, 2_000));
        const specs = ({ folder, paths }: { folder: string; paths: string[] }) =>
          paths.filter(
            (path) =>
              shown(path) &&
              /\.(?:json|ya?ml)$/.test(path) &&
              isApi(readFileSync(join(folder, path), 'utf8')),
          );
        expect(sites.flatMap(specs).length).toBeGreaterThan(10);
        expect(refusedOf(specs, policy)).toEqual([]);
        const settings = ({ paths }: { paths: string[] }) =>
          paths.filter((path) => /^(?:docs|mint)\.json$/.test(path));
        expect(refusedOf(settings, policy)).toEqual([]);
      },
    );

    test('new files of CI systems, coding agents and build tools may not', () => {
      const allowed = sites.flatMap(({ name, workspace, paths }) =>
        // One of the sites lists a page of that name.
        FOREIGN_PATHS.filter((path) => !paths.includes(path) && path !== 'agents.mdx')
          .filter((path) => writeFault(path, { docsFolder: '', allow: ['**'] }, workspace) === null)
          .map((path) => `${name}/${path}`),
      );
      expect(allowed).toEqual([]);
    });

    test('a paragraph that is added to a page is never taken for code', () => {
      const text = '\n\nMore text with `code()` and [a link](/start).\n';
      const changed = sites.flatMap(({ folder, paths }) =>
        paths
          .filter((path) => /\.mdx$/.test(path))
          .map((path) => ({ path, text: readFileSync(join(folder, path), 'utf8') })),
      );
      const files = changed.flatMap(({ path, text: before }) =>
        [before, before + text].map((one) => ({ path, text: one, variables: {} })),
      );
      const found = inspectTexts({ files, markup: [], descriptions: [] }).files;
      const more = changed.filter((_, at) => (found[2 * at + 1]?.length ?? 0) > (found[2 * at]?.length ?? 0));
      expect(more.map(({ path }) => path)).toEqual([]);
      // Most pages have no code at all: text, code blocks and tables are none.
      expect(found.filter((one) => one.length > 0).length / found.length).toBeLessThan(0.05);
    });

    test.each([
      ['LF', '\n'],
      ['CRLF', '\r\n'],
    ])('one changed word of prose on any page is never rejected, with line endings %s', (_name, end) => {
      const edits = sites.flatMap(({ name, folder }) =>
        pageFiles(folder).flatMap((path) => {
          if (isAgents(path)) return [];
          const before = readFileSync(join(folder, path), 'utf8').replace(/\r\n?|\n/g, end);
          const after = withOtherWord(before, end);
          return after === null ? [] : [{ name, path, before, after }];
        }),
      );
      expect(edits.length).toBeGreaterThan(1_500);
      const rejected = edits.filter(({ path, before, after }) => {
        const base = treeOf({ 'docs.json': '{}', [path]: before });
        const change = { path, kind: 'modified', before, after } as const;
        return (
          scanChanges([change], { policy: { docsFolder: '', allow: [] }, base, secrets: OWN }).blocked
            .length > 0
        );
      });
      expect(rejected.map(({ name, path }) => `${name}/${path}`)).toEqual([]);
      const files = edits.flatMap(({ path, before, after }) =>
        [before, after].map((text) => ({ path, text, variables: {} })),
      );
      const { files: code } = inspectTexts({ files, markup: [], descriptions: [] });
      const keys = code.map((found) =>
        found
          .map(({ key }) => key)
          .toSorted()
          .join('\n'),
      );
      expect(edits.filter((_, at) => keys[2 * at] !== keys[2 * at + 1]).map(({ path }) => path)).toEqual([]);
    });

    test('samples of keys are not taken for keys', () => {
      const found = files.filter(({ text }) => findSecrets(text, OWN).length > 0).map(({ name }) => name);
      expect(found).toEqual(KNOWN_SECRETS);
    });

    test('less than one file in a hundred has what would not be published if it were new', () => {
      const blocked = files.filter(({ name, text }) => findRisks(name, text).some(({ blocks }) => blocks));
      expect(blocked.length / files.length).toBeLessThan(0.01);
    });

    test('emoji and scripts that spell with joiners are no invisible text', () => {
      const found = files.filter(({ text }) => findInvisible(text).length > 0).map(({ name }) => name);
      expect(found).toEqual(['hoppscotch__docs/support/privacy.mdx']);
    });
  },
);
