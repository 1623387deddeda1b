#!/usr/bin/env node
// Plain JavaScript for Node 18 and newer: it finds a Node that runs TypeScript.
import { launch } from '../../../scripts/launch.mjs';

await launch({
  name: 'offprint',
  url: import.meta.url,
  main: () => import('../src/main.ts'),
  setup: () => import('../../../scripts/setup.mjs'),
  dependency: 'commander',
  compileCache: true,
});
