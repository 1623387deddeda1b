/** What agent jobs do with real API descriptions: up to 13 MB and 1,493 operations. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, describe, expect, test } from 'vitest';
import { createDocsCheck } from '../../apps/server/src/agent/check/child-check.ts';
import { scanChanges } from '../../apps/server/src/agent/policy/diff-scan.ts';
import { corporaFolder } from '../support/corpora.ts';
import { sandboxIn } from '../support/sandbox.ts';
import { toolBench } from '../support/tool-context.ts';

const folder = corporaFolder() === null ? null : join(corporaFolder() ?? '', '..', 'openapi');
const isThere = folder !== null && existsSync(folder);
const name = isThere
  ? 'agent jobs on large API descriptions'
  : 'agent jobs on large API descriptions (none beside the corpora)';

describe.skipIf(!isThere)(name, () => {
  const work = mkdtempSync(join(tmpdir(), 'offprint-descriptions-'));
  afterAll(() => rmSync(work, { recursive: true }));
  const check = createDocsCheck({
    sandbox: sandboxIn(join(work, 'sandbox')),
    workDir: join(work, 'check'),
    log: pino({ level: 'silent' }),
  });
  const benchOf = (file: string) =>
    toolBench(
      {
        'docs.json': JSON.stringify({ navigation: { groups: [{ group: 'API', openapi: file }] } }),
        [file]: readFileSync(join(folder ?? '', file)),
      },
      { check },
    );

  test.each([
    ['github.json', 1493, 'post', '/repos/{owner}/{repo}/issues', 'Create an issue'],
    ['openai.yaml', 304, 'post', '/embeddings', 'embedding'],
  ])(
    'every operation of %s is listed, and one is read and changed',
    async (spec, count, method, path, summary) => {
      const { text, context } = benchOf(spec);
      const first = await text('get_openapi_operation', { spec });
      const pages = Math.ceil(count / 200);
      expect(first).toMatch(new RegExp(`^${count} operations, 1-200\\n`));
      expect(first.match(/ \(lines \d+-\d+\)$/gm)).toHaveLength(200);
      expect(first).toContain(`(page 1 of ${pages}; continue with page=2`);
      const operation = await text('get_openapi_operation', { spec, method, path });
      expect(operation).toContain(summary);
      expect(operation.length).toBeLessThan(26_000);
      const from = Number(/^In the file: lines (\d+)-/m.exec(operation)?.[1]);
      const source = await text('read_file', { path: spec, start_line: from, max_lines: 12 });
      expect(source.split('\n')[1]).toContain(method);
      const old = source.split('\n').slice(1).join('\n');
      const line = source.split('\n').find((one) => /"?summary"?: /.test(one)) ?? '';
      expect(line).not.toBe('');
      const changed = old.replace(line, () => line.replace(/(summary"?: "?)/, '$1Now '));
      expect(await text('edit_file', { path: spec, old_text: old, new_text: changed })).toContain(
        'replaced 1 occurrence',
      );
      expect(context.workspace.read(spec)).toContain(changed);
      const options = { policy: context.policy, base: context.workspace.base, secrets: [] };
      expect(scanChanges(context.workspace.changes(), options).blocked).toEqual([]);
    },
  );
});
