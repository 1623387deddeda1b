import { expect, test } from 'vitest';
import { contentRule, isReadWhole } from './contents.ts';
import { createWorkspace } from './overlay.ts';
import type { BaseEntry } from './workspace.ts';

const file = (path: string, bytes: number): BaseEntry => {
  const content = new Uint8Array(bytes).fill(97);
  return { path, kind: 'file', executable: false, bytes, content };
};

test('a base keeps the content of each file that the renderer reads, up to a total of the large ones', () => {
  const takes = contentRule(3_000_000);
  expect(takes({ path: 'docs.json', bytes: 2_400_000 })).toBe(true);
  expect(takes({ path: 'video.mp4', bytes: 2_400_000 }), 'only its size counts').toBe(false);
  expect(takes({ path: 'openapi.json', bytes: 2_400_000 }), 'beyond the total').toBe(false);
  expect(takes({ path: 'index.mdx', bytes: 1_000_000 }), 'small files do not count').toBe(true);
  for (const path of ['openapi.json', '.mintignore'])
    expect(isReadWhole(path), 'without its content nothing is checked').toBe(true);
});

test('tools read configurations and API descriptions of many megabytes, and other text up to 1 MB', () => {
  const files = [
    file('docs.json', 2_400_000),
    file('api/openapi.yaml', 13_000_000),
    file('a.mdx', 1_000_001),
  ];
  const workspace = createWorkspace({ entries: new Map(files.map((one) => [one.path, one])) }, new Map());
  expect(workspace.read('docs.json')).toHaveLength(2_400_000);
  expect(workspace.read('api/openapi.yaml')).toHaveLength(13_000_000);
  expect(workspace.read('a.mdx')).toBeNull();
  expect(workspace.readBytes('a.mdx'), 'the check sees all of it').toHaveLength(1_000_001);
});
