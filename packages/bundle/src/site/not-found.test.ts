import { expect, test } from 'vitest';
import { moveNotFoundPage } from './not-found.ts';

const page = (base: string) =>
  `<!doctype html><html><head><link rel="stylesheet" href="${base}/_offprint/site.css"></head>
<a class="x" href="${base}/">Home</a><form action="${base}/index.html"><img src="${base}/a.png" alt="a &gt; b">
<a href="https://example.com/docs/">1</a><a href="//example.com/">2</a><a href="#top">3</a>href="/text"</html>`;

test.each([
  ['', ''],
  ['', '/docs'],
  ['/docs', ''],
  ['/docs', '/help/v2'],
  ['/docs', '/preview/token'],
])('addresses of the site below %j lead into the one below %j, and no others change', (from, to) => {
  expect(moveNotFoundPage(page(from), `https://docs.example.com${from}`, to)).toBe(page(to));
});

test('an address beside the base path stays', () => {
  const beside = '<a href="/docs-old/">1</a><a href="/docs">2</a>';
  expect(moveNotFoundPage(beside, 'https://a.example/docs/', '')).toBe(
    '<a href="/docs-old/">1</a><a href="/">2</a>',
  );
});
