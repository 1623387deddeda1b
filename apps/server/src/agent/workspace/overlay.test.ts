import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { treeOf } from '../../../../../test/support/docs-tree.ts';
import { anyText } from '../../../../../test/support/tool-context.ts';
import { createWorkspace, decodeText } from './overlay.ts';
import type { BaseTree } from './workspace.ts';

const base = (): BaseTree => {
  const { entries } = treeOf({
    'a.mdx': 'text a\n',
    'b.mdx': '\ufefftext b\r\n',
    'binary.png': Uint8Array.of(0x89, 0x50, 0xff, 0xfe),
    'nul.txt': 'a\0b',
  });
  const link = { path: 'link.mdx', kind: 'symlink' as const, executable: false, bytes: 5, content: null };
  return { entries: new Map([...entries, ['link.mdx', link]]) };
};

describe('bytes', () => {
  test('a byte order mark and line ends are read and written as they are', () => {
    const workspace = createWorkspace(base(), new Map());
    expect(workspace.read('b.mdx')).toBe('\ufefftext b\r\n');
    workspace.write('a.mdx', '\ufeffx\r\n');
    expect([...workspace.readBytes('a.mdx')!]).toEqual([0xef, 0xbb, 0xbf, 0x78, 0x0d, 0x0a]);
  });

  test('a file that is not UTF-8, contains NUL or is a link is not text', () => {
    const workspace = createWorkspace(base(), new Map());
    for (const path of ['binary.png', 'nul.txt', 'link.mdx', 'none.mdx', '__proto__', 'constructor']) {
      expect(workspace.read(path), path).toBeNull();
    }
    expect(
      workspace
        .list()
        .filter(({ isText }) => isText)
        .map(({ path }) => path),
    ).toEqual(['a.mdx', 'b.mdx']);
    expect(workspace.readBytes('binary.png')).toEqual(Uint8Array.of(0x89, 0x50, 0xff, 0xfe));
  });

  test('half a surrogate pair is written as the replacement character', () => {
    const workspace = createWorkspace(base(), new Map([['a.mdx', 'x\ud800']]));
    expect(workspace.read('a.mdx')).toBe('x\ufffd');
    workspace.write('c.mdx', '\udc00y');
    expect(workspace.overlay().get('c.mdx')).toBe('\ufffdy');
  });

  test('decoding is exact or refused', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        const text = decodeText(bytes);
        if (text !== null) expect(new Uint8Array(Buffer.from(text))).toEqual(bytes);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('changes', () => {
  test('are reported against the base, and vanish when the text is that of the base again', () => {
    const workspace = createWorkspace(base(), new Map());
    workspace.write('a.mdx', 'new\n');
    workspace.write('c.mdx', 'added\n');
    workspace.remove('binary.png');
    expect(workspace.changes()).toEqual([
      { path: 'a.mdx', kind: 'modified', before: 'text a\n', after: 'new\n' },
      { path: 'binary.png', kind: 'deleted', before: null, after: null },
      { path: 'c.mdx', kind: 'added', before: null, after: 'added\n' },
    ]);
    workspace.write('a.mdx', 'text a\n');
    workspace.remove('c.mdx');
    expect(workspace.changes().map(({ path }) => path)).toEqual(['binary.png']);
    expect([...workspace.overlay()]).toEqual([['binary.png', null]]);
  });

  test('leave the base, and what was listed before, as they were', () => {
    const workspace = createWorkspace(base(), new Map());
    const before = workspace.list();
    before[0]!.path = 'changed by a caller';
    workspace.remove('a.mdx');
    expect(workspace.readBase('a.mdx')).toBe('text a\n');
    expect(workspace.has('a.mdx')).toBe(false);
    expect(workspace.list().map(({ path }) => path)).toEqual(['b.mdx', 'binary.png', 'link.mdx', 'nul.txt']);
  });

  test('an overlay given or taken is a copy', () => {
    const given = new Map<string, string | null>([['c.mdx', 'c']]);
    const workspace = createWorkspace(base(), given);
    given.set('d.mdx', 'd');
    const taken = workspace.overlay();
    workspace.write('e.mdx', 'e');
    expect(workspace.has('d.mdx')).toBe(false);
    expect([...taken.keys()]).toEqual(['c.mdx']);
  });
});

test('any series of changes makes the same workspace again from its overlay', () => {
  const path = fc.constantFrom('a.mdx', 'b.mdx', 'c.mdx', 'binary.png', '__proto__', 'toString', 'z/y.md');
  const step = fc.record({ path, text: fc.option(anyText(8)) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const workspace = createWorkspace(base(), new Map());
      const plain = new Map([...base().entries].map(([name, { content }]) => [name, content]));
      for (const { path: name, text } of steps) {
        if (text === null) workspace.remove(name);
        else workspace.write(name, text);
        if (text === null) plain.delete(name);
        else plain.set(name, new Uint8Array(Buffer.from(text.toWellFormed())));
      }
      const again = createWorkspace(base(), new Map(JSON.parse(JSON.stringify([...workspace.overlay()]))));
      expect(again.list()).toEqual(workspace.list());
      expect(again.changes()).toEqual(workspace.changes());
      expect(workspace.list().map((file) => file.path)).toEqual([...plain.keys()].sort());
      for (const [name, content] of plain) {
        const bytes = again.readBytes(name);
        expect(content === null ? bytes === null : Buffer.compare(bytes!, content) === 0, name).toBe(true);
      }
    }),
    { numRuns: 500 },
  );
});
