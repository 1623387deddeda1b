import { expect, test } from 'vitest';
import { formatManifest, type ManifestHead, parseManifest } from '../src/manifest.ts';

const HEAD: ManifestHead = {
  site: { domain: '', name: 'A', url: '' },
  version: '1',
  commit: null,
  renderer: { name: 'offprint', version: '1' },
  redirects: [],
  features: {},
};

test('a manifest names the encoder of its images, and nothing if they have no variants', () => {
  const encoder = 'sharp 0.35.5, vips 8.18.7, webp 1.6.0, linux-x64';
  expect(parseManifest(formatManifest({ ...HEAD, encoder }, [])).encoder).toBe(encoder);
  expect(formatManifest(HEAD, [])).not.toContain('encoder');
  expect(parseManifest(formatManifest(HEAD, []))).not.toHaveProperty('encoder');
});

test.each([7, null, 'x'.repeat(254), 'two\nlines', { name: 'sharp' }])(
  'an encoder that is not one short line is an error: %j',
  (encoder) => {
    const text = JSON.stringify({ ...JSON.parse(formatManifest(HEAD, [])), encoder });
    expect(() => parseManifest(text)).toThrow(/encoder/);
  },
);
