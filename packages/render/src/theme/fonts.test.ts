import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { assetPath } from '../assets.ts';
import { CORE_FOLDER, FAMILIES, loadFonts } from './fonts.ts';

const faces = [...loadFonts().css.matchAll(/@font-face\{([^}]*)\}/g)].map(([, body = '']) =>
  Object.fromEntries(body.split(/;(?=[a-z-]+:)/).map((one) => one.split(/:(.*)/s).slice(0, 2))),
);

test.each(FAMILIES)(
  '$name has every character at every weight from one set of files',
  ({ name, weights }) => {
    const own = faces.filter((face) => face['font-family'] === `'${name}'`);
    const steps = [...new Set(own.map((face) => face['font-weight'] ?? ''))].sort();
    expect(steps).toEqual([`${weights[0]} 399`, '400 700', `701 ${weights[1]}`]);
    // Browsers choose a weight first and look for the characters among its faces only.
    const subsetsAt = (step: string): string[] =>
      own
        .filter((face) => face['font-weight'] === step && !face.src?.includes('-core-'))
        .map((face) => `${face['font-style']} ${face.src}`);
    expect(subsetsAt(steps[1] ?? '')).toEqual(subsetsAt(steps[0] ?? ''));
    expect(subsetsAt(steps[2] ?? '')).toEqual(subsetsAt(steps[0] ?? ''));
  },
);

test('the faces that pages need at once are asked before those with the same characters', () => {
  for (const { name } of FAMILIES) {
    const sources = faces.filter((face) => face['font-family'] === `'${name}'`).map((face) => face.src ?? '');
    const first = sources.findIndex((src) => src.includes('-core-'));
    expect(first).toBeGreaterThan(0);
    expect(sources.slice(first).every((src) => src.includes('-core-'))).toBe(true);
  }
  expect(loadFonts().preload.text).toEqual([expect.stringContaining('/inter-core-normal-')]);
  expect(loadFonts().preload.code).toEqual([expect.stringContaining('/jetbrains-mono-core-normal-')]);
});

test('text and code of an English page need less than 36 kB of fonts', () => {
  const sizes = FAMILIES.map(({ cores: [core] }) =>
    core === undefined ? Number.NaN : readFileSync(assetPath(`${CORE_FOLDER}/${core.file}`)).length,
  );
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(36_000);
});
