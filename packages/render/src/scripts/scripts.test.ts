import { expect, test } from 'vitest';
import { memorySource } from '../source.ts';
import type { Warning } from '../warning.ts';
import { namedHosts } from './hosts.ts';
import { nodeUse } from './node-script.ts';
import { runnableScripts } from './user-scripts.ts';

const hosts = (source: string): readonly string[] =>
  namedHosts(source, 'https://docs.acme.test')?.hosts ?? ['not searched'];

test.each([
  ["fetch('https://api.far.test/v1')", ['api.far.test']],
  [`fetch(\`https://api.far.test/$\{id}\`)`, ['api.far.test']],
  ["s.src = '//cdn.far.test/a.js'", ['cdn.far.test']],
  ["new WebSocket('wss://live.far.test:8443')", ['live.far.test']],
  ['document.write(\'<script src="https://w.far.test/x.js"></script>\')', ['w.far.test']],
  ["e.innerHTML = '<img src=//p.far.test/1.gif>'", ['p.far.test']],
  ["sheet.insertRule('a { background: url(https://i.far.test/a.png) }')", ['i.far.test']],
  ["const link = document.createElement('link'); link.href = 'https://f.far.test/a.css'", ['f.far.test']],
  ["fetch('http://localhost:3000/x'); fetch('http://[::1]/y')", ['localhost', '[::1]']],
  ["import('https://m.far.test/a.js')", ['m.far.test']],
  [
    "const url = 'https://v.far.test/a.js'; const s = document.createElement('script'); s.src = url",
    ['v.far.test'],
  ],
  ['const url = `https://j.far.test/a.png`; const view = <img src={url} />', ['j.far.test']],
  ["fetch('https:\\/\\/a.far.test\\/x')", ['a.far.test']],
])('finds the host that %s requests', (source, expected) => {
  expect(hosts(source)).toEqual(expected);
});

test.each([
  ["// fetch('https://a.far.test')\nfetch('/own.json')"],
  ["/* see https://a.far.test */ fetch('own.json')"],
  ["e.src = '/x.png'; const pattern = /https:\\/\\/a.far.test/"],
  ["document.createElementNS('http://www.w3.org/2000/svg', 'svg')"],
  ["fetch('https://docs.acme.test/own.json')"],
  ["location.href = 'https://a.far.test'; e.src = 'x.png'"],
  ["window.open('https://a.far.test'); e.src = 'x.png'"],
  ["const links = [{ href: 'https://a.far.test' }]; e.src = 'x.png'"],
  ['const view = <p><img src="/a.png" /><a href="https://a.far.test">far</a></p>'],
  ['const sample = `curl https://a.far.test/v1`; e.src = "x.png"'],
  ["throw new Error('https://a.far.test/errors/1')"],
  ["import x from 'https://a.far.test/x.js'; import 'https://b.far.test/y.js'; e.src = 'x.png'"],
  [
    "const repo = 'https://a.far.test'; const a = document.createElement('a'); a.href = repo; a.textContent = 'x'",
  ],
  ['const url = "https://a.far.test"; const view = <p><img src="/a.png" /><a href={url}>far</a></p>'],
  ["fetch('//' + 'x'); e.textContent = '// comment'"],
])('names no host for %s', (source) => {
  expect(hosts(source)).toEqual([]);
});

test('searches scripts that nest deeper than the parser follows, stop at an error, or have a hundred thousand texts', () => {
  const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}; fetch('https://a.far.test')`;
  expect(hosts(deep)).toEqual(['a.far.test']);
  expect(hosts("fetch('https://a.far.test'); ) const 'https://b.far.test'")).toContain('a.far.test');
  const many = Array.from({ length: 100_000 }, (_, n) => `'https://h${n}.far.test/'`).join();
  expect(hosts(`fetch([${many}])`)).toHaveLength(200);
  expect(hosts(`fetch('https://${'a.'.repeat(200_000)}test')`).length).toBeLessThan(2);
  expect(namedHosts(`fetch('https://a.far.test')${' '.repeat(10_000_000)}`, null)).toBeNull();
});

test.each([
  ['#!/usr/bin/env node\nconsole.log(1)'],
  ["const fs = require('fs');\nconsole.log(fs)"],
  ["require('dotenv').config()"],
  ['module.exports = { content: [] }'],
  ["'use strict';\nexports.run = () => 1"],
  ["import fs from 'node:fs';\nfs.readFileSync('a')"],
  ["const fs = await import('node:fs')"],
  ['export default {}'],
  ["(async () => {\n  const viem = await import('viem');\n  console.log(viem)\n})()"],
  ["(async () => {\n\nconst { http } = require('viem');\n})();"],
  ["(() => require('x').run())()"],
])('%s is for Node or a module', (source) => {
  expect(nodeUse(source)).not.toBeNull();
});

test.each([
  [
    "(function (root, factory) { if (typeof module === 'object' && module.exports) module.exports = factory(require('x')); else root.A = factory(root.X) })(this, function () {})",
  ],
  [
    "!function(e,t){'object'==typeof exports&&'undefined'!=typeof module?t(exports):'function'==typeof define&&define.amd?define(['exports'],t):t(e.A={})}(this,function(e){e.a=1})",
  ],
  ["if (typeof module !== 'undefined') { module.exports = { a: 1 } }"],
  ["typeof exports === 'object' ? exports.a = 1 : window.a = 1"],
  ["typeof require === 'function' && require('x')"],
  ['var module = { exports: {} }; module.exports.a = 1'],
  ["function load() { return require('x') }"],
  ["require(['a', 'b'], function (a, b) {})"],
  ["try { require('x') } catch {}"],
  ['(()=>{var e={1:(e,t,r)=>{e.exports=r(2)}};})()'],
  ["window.text = 'module.exports = 1; require(\"x\")'; // import x from 'node:fs'"],
  ['const view = { exports: 1, module: 2 }; window.module = view;\nmodule.exports'],
  ["import('./chunk.js')"],
  ["(async () => { await import('https://cdn.acme.test/a.js'); await import('/b.js') })()"],
  ["(function () { if (typeof require === 'undefined') return; require('x') })()"],
  ["(function () { try { require('x') } catch {} })()"],
  ["(function (require) { require('x') })(load)"],
  ["document.addEventListener('click', () => import('viem'))"],
  ['this is not JavaScript, module.exports = 1'],
])('%s is a script of browsers', (source) => {
  expect(nodeUse(source)).toBeNull();
});

test('pages load what browsers can run; one note lists the rest, and one warning for each file its hosts', () => {
  const files = {
    'a.js': "// first\nfetch('https://one.far.test'); new Image().src = '//two.far.test/p.gif'",
    'build/b.js': "const fs = require('fs'); fetch('https://not-reported.test')",
    'build/c.js': '#!/usr/bin/env node',
    'd.js': 'window.d = 1',
  };
  const warnings: Warning[] = [];
  const source = memorySource(files);
  const loaded = runnableScripts(Object.keys(files), source, null, (warning) => void warnings.push(warning));
  expect(loaded).toEqual(['a.js', 'd.js']);
  expect(warnings.map(({ file, line, code }) => [file, line, code])).toEqual([
    ['build/b.js', null, 'node-script'],
    ['a.js', 2, 'remote-script'],
  ]);
  expect(warnings[0]?.message).toContain('2 scripts');
  expect(warnings[0]?.message).toContain('`build/b.js`, `build/c.js`');
  expect(warnings[1]?.message).toContain('`one.far.test`, `two.far.test`');
});

test('a script that gives `module` to all scripts keeps those that need it', () => {
  const files = {
    'a.js': 'window.module = { exports: {} }',
    'b.js': 'module.exports.b = 1',
    'c.js': 'export {}',
  };
  const loaded = runnableScripts(Object.keys(files), memorySource(files), null, () => {});
  expect(loaded).toEqual(['a.js', 'b.js']);
});

test('a script that is not valid JavaScript is reported with its line, and pages load it', () => {
  const files = {
    'jsx.js': '// Comment\n<>\n  <script src="x.js"></script>\n</>\n',
    'ok.js': 'class A { #a = 1; static { A.b ??= 1n; } }\n',
    'deep.js': `${'['.repeat(90_000)}${']'.repeat(90_000)}`,
  };
  const warnings: Warning[] = [];
  const loaded = runnableScripts(Object.keys(files), memorySource(files), null, (one) => warnings.push(one));
  expect(loaded).toEqual(Object.keys(files));
  expect(warnings).toMatchObject([{ file: 'jsx.js', line: 2, code: 'invalid-script' }]);
});
