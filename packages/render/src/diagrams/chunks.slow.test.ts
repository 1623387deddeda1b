import { Parser } from 'acorn';
import { describe, expect, test } from 'vitest';
import { type Chunk, chunkNames, ENTRY, readChunk } from './chunks.ts';

describe('chunks of the diagram library', () => {
  const chunks = [ENTRY, ...chunkNames()].map(readChunk);
  const names = new Set(chunks.map((chunk) => chunk.name));
  const importsOf = (chunk: Chunk): string[] => [
    ...chunk.imports,
    ...[...chunk.script.matchAll(/offprintLoad\("([^"]+)"\)/g)].map((match) => match[1] ?? ''),
  ];

  test('every one is a classic script: no module syntax, nothing a strict policy refuses', () => {
    for (const { name, script } of chunks) {
      expect(() => Parser.parse(script, { ecmaVersion: 'latest', sourceType: 'script' }), name).not.toThrow();
      expect(script, name).not.toMatch(/\bimport\(|createElement\("style"\)|\beval\(|new Function\(/);
    }
  });

  test('whatever one imports is there, and the entry reaches all of them', () => {
    const reached = new Set<string>();
    const visit = (name: string): void => {
      if (reached.has(name)) return;
      reached.add(name);
      const chunk = chunks.find((each) => each.name === name);
      for (const next of chunk === undefined ? [] : importsOf(chunk)) visit(next);
    };
    visit(ENTRY);
    expect([...reached].filter((name) => !names.has(name))).toEqual([]);
    expect([...names].filter((name) => !reached.has(name))).toEqual([]);
  });
});
