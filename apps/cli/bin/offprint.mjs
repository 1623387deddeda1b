#!/usr/bin/env node
// Plain JavaScript so that an old Node can say what is wrong instead of failing on TypeScript syntax.
import { fileURLToPath } from 'node:url';

const required = 24;
if (Number(process.versions.node.split('.')[0]) < required) {
  process.stderr.write(`offprint needs Node ${required} or newer; this is Node ${process.versions.node}.\n`);
  process.exit(2);
}
// Compiled once and kept beside the packages, where only those may write who may change the program as well. Half of
// a small export would be spent on it. Where the folder cannot be written, nothing is kept.
const { enableCompileCache } = await import('node:module');
enableCompileCache(fileURLToPath(new URL('../../../node_modules/.cache/offprint', import.meta.url)));
const { main } = await import('../src/main.ts');
await main();
