/** What a manifest may ask of the memory of who reads it, where that sets limits of its own. */
import { describe, expect, it } from 'vitest';
import { BundleError, type BundleLimits, verifyBundle } from '../src/index.ts';
import { entry, listed, manifestEntry, stream, tarGz } from './craft.ts';

const codeOf = async (bundle: Buffer, limits: Partial<BundleLimits> = {}): Promise<string> =>
  verifyBundle(stream(bundle), { limits }).then(
    () => 'taken',
    (error: unknown) => (error instanceof BundleError ? `${error.code} ${error.message}` : String(error)),
  );
const files = (count: number, path: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => listed(path(index), ''));
const bundleOf = (list: ReturnType<typeof files>) =>
  tarGz(manifestEntry(list), ...list.map(({ path }) => entry({ name: path })));
const redirectsOf = (sources: readonly string[]) =>
  manifestEntry([], {
    redirects: sources.map((source) => ({ source, destination: '/', permanent: true })),
  });

describe('a manifest is refused, by name and with the limit,', () => {
  it('for its bytes, before they are read', async () => {
    const bundle = bundleOf(files(20, (index) => `page-${index}.html`));
    expect(await codeOf(bundle, { maxManifestBytes: 10_000 })).toBe('taken');
    // the header alone is there: who waited for the text would find the archive cut
    const cut = tarGz(manifestEntry(files(20, (index) => `page-${index}.html`)).subarray(0, 512));
    expect(await codeOf(cut, { maxManifestBytes: 1000 })).toMatch(
      /^too_large "offprint\.json": .* 1000 bytes/,
    );
  });

  it('for its files, and the message names the manifest', async () => {
    const bundle = bundleOf(files(20, (index) => `page-${index}.html`));
    expect(await codeOf(bundle, { maxFiles: 19 })).toMatch(/^too_large "offprint\.json": .* 20 files.* 19\./);
  });

  it('for folders: a path of a kilobyte can name five hundred', async () => {
    const deep = files(10, (index) => `${index}/${'a/'.repeat(40)}x`);
    expect(await codeOf(bundleOf(deep), { maxFiles: 410 })).toBe('taken');
    expect(await codeOf(bundleOf(deep), { maxFiles: 400 })).toMatch(/^too_large .* 400 folders/);
  });

  it('for segments of redirects by pattern: a byte of text can name one', async () => {
    const many = (text: string) => redirectsOf(Array.from({ length: 60 }, () => `/*${text.repeat(2000)}`));
    expect(await codeOf(tarGz(many('/a')))).toMatch(/^too_large .*100000 segments/);
    expect(await codeOf(tarGz(many('%2Fa')))).toMatch(/^too_large .*100000 segments/);
    // from one path to another: a text, whatever is in it
    expect(await codeOf(tarGz(redirectsOf(Array.from({ length: 60 }, () => '/a'.repeat(2000)))))).toBe(
      'taken',
    );
  });
});
