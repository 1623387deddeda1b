import { expect, test } from 'vitest';
import { severityOf } from '../src/index.ts';
import { valuesOf } from './dom.ts';
import { renderFiles, textOf } from './output.ts';

const FAR = `export const Far = () => {
  const [stars, setStars] = useState(0);
  useEffect(() => { fetch('https://api.far.test/stars').then(setStars) }, []);
  return <p><a href="https://code.far.test">{stars}</a></p>;
};
`;

const SITE = {
  'docs.json': JSON.stringify({
    theme: 'mint',
    name: 'Site',
    colors: { primary: '#166e3f' },
    navigation: { pages: ['a', 'b', 'c'] },
  }),
  'a.mdx': "---\ntitle: A\n---\n\nimport { Far } from '/snippets/far.jsx';\n\n<Far />\n",
  'b.mdx': "---\ntitle: B\n---\n\nimport { Far } from '/snippets/far.jsx';\n\n<Far />\n",
  'c.mdx': '---\ntitle: C\n---\n\n<script src="https://cdn.far.test/w.js" />\n',
  'snippets/far.jsx': FAR,
  'track.js': "\n(function () { new Image().src = 'https://t.far.test/p.gif'; })();",
  'scripts/build.js': "const fs = require('fs');\nfetch('https://build.far.test');",
  'scripts/check.js': '#!/usr/bin/env node\nprocess.exit(0);',
  'umd.js': "if (typeof module === 'object') module.exports = 1; else window.umd = 1;",
};

test('pages load scripts of browsers only, and each file that names other hosts is reported once', async () => {
  const output = await renderFiles(SITE);
  for (const page of ['a', 'b', 'c']) {
    const scripts = valuesOf(textOf(output, `${page}.html`), 'src', { tag: 'script' });
    expect(scripts.filter((src) => !src.startsWith('_offprint/'))).toEqual(['track.js', 'umd.js']);
  }
  expect(output.files.has('scripts/build.js')).toBe(true);
  const found = output.result.warnings.filter(({ code }) => /^(?:node|remote)-script$/.test(code));
  expect(found).toEqual([
    {
      file: 'scripts/build.js',
      line: null,
      code: 'node-script',
      message: expect.stringContaining('`scripts/build.js`, `scripts/check.js`'),
    },
    {
      file: 'snippets/far.jsx',
      line: null,
      code: 'remote-script',
      message: expect.stringMatching(/names `api\.far\.test`\. Pages block/),
    },
    {
      file: 'track.js',
      line: 2,
      code: 'remote-script',
      message: expect.stringMatching(/names `t\.far\.test`\. Pages block every request to other hosts/),
    },
  ]);
  expect(['node-script', 'remote-script'].map(severityOf)).toEqual(['info', 'warning']);
});

test('a copied script of another host that names hosts is reported with its URL', async () => {
  const content = new TextEncoder().encode("fetch('https://more.far.test/x')");
  const output = await renderFiles(SITE, {
    fetchRemote: (requests) =>
      Promise.resolve(new Map(requests.map(({ url }) => [url, { content, type: 'text/javascript' }]))),
  });
  const found = output.result.warnings.filter(
    ({ code, file }) => code === 'remote-script' && file === 'c.mdx',
  );
  expect(found.map(({ message }) => message)).toEqual([
    expect.stringMatching(
      /^The script `https:\/\/cdn\.far\.test\/w\.js` runs in the browser and names `more\.far\.test`\./,
    ),
  ]);
});
