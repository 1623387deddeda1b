import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { BIN } from './command.ts';

test('`offprint schema` prints the schema that this project publishes', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, 'schema'], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
  const published = new URL('../../docs/docs.schema.json', import.meta.url);
  expect(JSON.parse(stdout)).toEqual(JSON.parse(readFileSync(published, 'utf8')));
});
