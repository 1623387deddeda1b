import { expect, test } from 'vitest';
import { isOwnPath } from './own-path.ts';

test('continues only to pages of this site', () => {
  for (const path of ['/', '/account', '/org_1/exports?status=failed']) expect(isOwnPath(path)).toBe(true);
  for (const path of ['//evil.example', '/\\evil.example', 'https://evil.example', '', 'account', '/a\nb']) {
    expect(isOwnPath(path), path).toBe(false);
  }
});
