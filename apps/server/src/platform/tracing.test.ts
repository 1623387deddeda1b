import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { currentTraceParent, inSpan, openSpan } from './tracing.ts';

test('without a collector, steps run without spans', async () => {
  expect(openSpan('request', { parent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` })).toBeUndefined();
  expect(await inSpan('step', {}, async () => currentTraceParent())).toBeNull();
  await expect(inSpan('step', {}, () => Promise.reject(new TypeError('as thrown')))).rejects.toThrow(
    'as thrown',
  );
});

test('a process without a collector loads no package for traces', async () => {
  const program = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context); } });
    await import(${JSON.stringify(new URL('../platform.ts', import.meta.url).href)});
    const traces = loaded.filter((url) => /@opentelemetry\\/(?:sdk|exporter|otlp|resources|core)/.test(url));
    process.stdout.write(JSON.stringify({ modules: loaded.length > 100, traces }));
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
  expect(JSON.parse(stdout)).toEqual({ modules: true, traces: [] });
});
