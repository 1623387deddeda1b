/** Hostile expressions end soon: each page of one takes little CPU time and makes an output of limited size. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { slowness } from './cpu-time.ts';
import { heavyExpression, pageOf } from './heavy-expressions.ts';
import { renderBody } from './mdx-page.ts';

/** On the machine that limits are written for. */
const CPU_MS = 2_000;
/** The limit of a page that is short in the source, which the warning names. */
const CHARACTERS = 5_000_000;
const SEED = 20261123;

function measure(body: string): { cpuMs: number; html: number; markdown: number } {
  const start = process.cpuUsage();
  const page = renderBody(body);
  const { user, system } = process.cpuUsage(start);
  const cpuMs = (user + system) / 1000;
  return {
    cpuMs: cpuMs < CPU_MS ? cpuMs : cpuMs / slowness(),
    html: page.html.length,
    markdown: page.markdown.length,
  };
}

test('1,000 generated expressions take at most 2 s of CPU time each, and their output is limited', () => {
  const most = { cpuMs: 0, html: 0, markdown: 0 };
  fc.assert(
    fc.property(heavyExpression, (expression) => {
      const used = measure(pageOf(expression));
      most.cpuMs = Math.max(most.cpuMs, used.cpuMs);
      most.html = Math.max(most.html, used.html);
      most.markdown = Math.max(most.markdown, used.markdown);
      expect(used.cpuMs).toBeLessThan(CPU_MS);
      expect(used.html).toBeLessThan(10 * CHARACTERS);
      expect(used.markdown).toBeLessThan(10 * CHARACTERS);
    }),
    { numRuns: 1_000, seed: SEED },
  );
  console.log(`most of 1,000 pages: ${JSON.stringify(most)}`);
});

test.each([
  ['a quadratic search', '{"a".repeat(999999).lastIndexOf("a".repeat(499999)+"b")}'],
  ['elements that double', '{(()=>{let a=<b>x</b>;for(let i=0;i<40;i++)a=<i>{a}{a}</i>;return a})()}'],
  ['conversions in a loop', '{(()=>{let a="é".repeat(999999);for(;;)a.toUpperCase()})()}'],
  ['splits in a loop', '{(()=>{let a="a,".repeat(499999);for(;;)a.split(",")})()}'],
  ['ids of headings on one line', `# ${'{#b}'.repeat(50_000)}`],
  ['emphasis without an end', '*a_ '.repeat(50_000)],
  ['open links', '['.repeat(50_000)],
])('%s', (_name, body) => {
  const used = measure(`${body}\n`);
  expect(used.cpuMs).toBeLessThan(CPU_MS);
  expect(used.html).toBeLessThan(10 * CHARACTERS);
});
