import { expect, test } from 'vitest';
import { sitePolicy } from '../src/index.ts';
import { pagePolicy } from '../src/site/policy.ts';

/** Sources by directive; what a policy does not name is `default-src`. */
function sourcesOf(policy: string): (directive: string) => string[] {
  const directives = new Map(
    policy.split(/; ?/).map((part): [string, string[]] => {
      const [name = '', ...sources] = part.split(' ');
      return [name, sources];
    }),
  );
  const other = directives.get('default-src') ?? [];
  return (directive) => directives.get(directive) ?? other;
}

const LOADING = [
  'script-src',
  'style-src',
  'img-src',
  'font-src',
  'media-src',
  'connect-src',
  'frame-src',
  'object-src',
  'manifest-src',
];

test('no policy names a host or a scheme that leads to one', () => {
  for (const policy of [sitePolicy(), pagePolicy]) {
    for (const directive of [...LOADING, 'worker-src', 'child-src', 'form-action', 'base-uri']) {
      const allowed = ["'self'", "'none'", "'unsafe-inline'", 'data:'];
      expect(sourcesOf(policy)(directive).filter((source) => !allowed.includes(source))).toEqual([]);
    }
    expect(sourcesOf(policy)('base-uri')).toEqual(["'none'"]);
    expect(sourcesOf(policy)('form-action')).toEqual(["'self'"]);
  }
});

test('pages and headers allow the same files, and neither allows inline scripts', () => {
  for (const directive of LOADING) {
    const inPage = sourcesOf(pagePolicy)(directive).filter((source) => source !== "'unsafe-inline'");
    expect(inPage, directive).toEqual(sourcesOf(sitePolicy())(directive));
  }
  for (const policy of [sitePolicy(), pagePolicy])
    expect(sourcesOf(policy)('script-src')).toEqual(["'self'"]);
});

test('the policy of pages has no directive that a meta element cannot say', () => {
  expect(pagePolicy).not.toMatch(/frame-ancestors|report-uri|report-to|sandbox/);
});
