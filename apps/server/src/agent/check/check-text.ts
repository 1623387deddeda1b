import { checkSite, memorySource } from '@offprint/render';
import type { Finding } from './docs-check.ts';

/** Codes that concern only a configuration, without the files that it names. */
const CONFIG_CODES =
  /^(?:config-(?!missing)|navigation-|invalid-json|ref-type|ref-escape|redirect-(?:invalid|duplicate|loop)|unsafe-link)/;

/** Problems of one file that can be found without reading the others. */
export function checkText(path: string, text: string): Finding[] {
  if (/\.mdx?$/i.test(path)) return ofPage(path, text);
  if (/\.[jt]sx?$/i.test(path)) return ofScript(path, text);
  if (path === 'docs.json' || path === 'mint.json') return ofConfig(path, text);
  const isDescription = /["']?openapi["']?\s{0,20}:/.test(text.slice(0, 20_000));
  if (/\.(?:ya?ml|json)$/i.test(path) && isDescription) return ofDescription(path, text);
  return /\.json$/i.test(path) ? ofJson(path, text) : [];
}

function ofPage(path: string, text: string): Finding[] {
  const source = memorySource({ 'docs.json': config({ pages: [path] }), [path]: text });
  return checkSite(source, { parseOnly: true }).findings.filter(({ file }) => file === path);
}

/** A script is read where a page imports it. */
function ofScript(path: string, text: string): Finding[] {
  const page = `import * as it from ${JSON.stringify(`/${path}`)}\n\nText.\n`;
  const source = memorySource({ 'docs.json': config({ pages: ['index'] }), 'index.mdx': page, [path]: text });
  return checkSite(source).findings.filter(({ file, code }) => file === path && code === 'invalid-module');
}

function ofConfig(path: string, text: string): Finding[] {
  const { findings } = checkSite(memorySource({ [path]: text }), { parseOnly: true });
  return findings.filter(({ file, code }) => file === path && CONFIG_CODES.test(code));
}

function ofDescription(path: string, text: string): Finding[] {
  const docs = config({ groups: [{ group: 'API', openapi: path }], pages: ['index'] });
  const source = memorySource({ 'docs.json': docs, 'index.mdx': 'Text.', [path]: text });
  return checkSite(source, { parseOnly: true }).findings.filter(
    ({ file, code }) => file === path && code.startsWith('description-'),
  );
}

function ofJson(path: string, text: string): Finding[] {
  const docs = JSON.stringify({
    name: 'Docs',
    navigation: { pages: ['index'] },
    banner: { $ref: `/${path}` },
  });
  const source = memorySource({ 'docs.json': docs, 'index.mdx': 'Text.', [path]: text });
  return checkSite(source, { parseOnly: true }).findings.filter(
    ({ file, code }) => file === path && code === 'invalid-json',
  );
}

const config = (navigation: object): string =>
  JSON.stringify({ name: 'Docs', theme: 'mint', colors: { primary: '#0f766e' }, navigation });
