import { checkSite, memorySource, withDiagrams } from '@offprint/render';
import type { DocsCheck } from '@offprint/server/agent-local';
import { inspectTexts } from '../../../apps/server/src/agent/check/inspect-texts.ts';

/** The renderer's check in this process: the same findings as from a sandbox child, at a tenth of the time. */
export const quickCheck: DocsCheck = {
  async check(workspace) {
    const files = workspace
      .list()
      .flatMap(({ path, kind }) =>
        kind === 'file' ? [[path, workspace.readBytes(path) ?? ''] as const] : [],
      );
    const { findings } = await withDiagrams(checkSite(memorySource(Object.fromEntries(files))));
    return { status: 'checked', findings };
  },
  async parse(path, text) {
    if (!path.endsWith('.mdx')) return { status: 'checked', findings: [] };
    const config = JSON.stringify({ name: 'Docs', navigation: { pages: [path.slice(0, -4)] } });
    const { findings } = checkSite(memorySource({ 'docs.json': config, [path]: text }), { parseOnly: true });
    return { status: 'checked', findings: findings.filter(({ file }) => file === path) };
  },
  async describeOperation() {
    return { fault: 'no description is read in this test' };
  },
  async inspect(question) {
    return { status: 'inspected', ...inspectTexts(question) };
  },
};
