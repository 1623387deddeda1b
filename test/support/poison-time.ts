/**
 * Main module of a process that measures: the processor time of rendering poisoned cases, as lines of JSON
 * `{name, size, ms}`. Arguments: `name<tab>size`, in turn.
 */
import { memorySource, renderSite } from '@offprint/render';
import { poisonCases } from './poison.ts';

for (const argument of process.argv.slice(2)) {
  const [name, size] = argument.split('\t');
  const found = poisonCases.find((each) => each.name === name);
  if (found === undefined) throw new Error(`no such case: ${name}`);
  const source = memorySource(found.make(Number(size)));
  globalThis.gc?.();
  const before = process.cpuUsage();
  await renderSite({ source, siteUrl: 'https://docs.example.com', emit: () => {} });
  const { user, system } = process.cpuUsage(before);
  process.stdout.write(`${JSON.stringify({ name, size: Number(size), ms: (user + system) / 1000 })}\n`);
}
