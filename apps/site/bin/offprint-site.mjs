#!/usr/bin/env node
// Plain JavaScript so that an old Node can say what is wrong instead of failing on TypeScript syntax.
const required = 24;
if (Number(process.versions.node.split('.')[0]) < required) {
  process.stderr.write(
    `offprint-site needs Node ${required} or newer; this is Node ${process.versions.node}.\n`,
  );
  process.exit(2);
}
const { main } = await import('../src/main.ts');
await main();
