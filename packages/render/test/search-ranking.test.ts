/** The rules by which the search orders pages. */

import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { renderFiles, textOf } from './output.ts';
import { openSearch } from './search-site.ts';

const config = (navigation: unknown, rest: Record<string, unknown> = {}): string =>
  JSON.stringify({ theme: 'mint', name: 'Test', colors: { primary: '#166e3f' }, navigation, ...rest });

const page = (title: string, body: string, more = ''): string =>
  `---\ntitle: ${JSON.stringify(title)}\n${more}---\n\n${body}\n`;

/** A site of these pages in this order, all in one group. */
async function siteOf(pages: Record<string, string>, rest: Record<string, unknown> = {}) {
  const files = Object.entries(pages).map(([name, content]) => [`${name}.mdx`, content]);
  const output = await renderFiles({
    'docs.json': config({ pages: Object.keys(pages) }, rest),
    ...Object.fromEntries(files),
  });
  return openSearch(output);
}

/** Pages full of the words of questions. */
const CHATTER = Object.fromEntries(
  Array.from({ length: 6 }, (_, at) => [
    `chatter-${at}`,
    page(
      `Notes ${at}`,
      'How do I do it? What can I do with it? Where is the one that I use? How does it work?',
    ),
  ]),
);

describe('questions', () => {
  test.each([
    'how do I rotate a signing key',
    'how can I rotate the signing key?',
    'where do I rotate my signing keys',
    'how does rotating a signing key work',
  ])('"%s" finds the page that its other words name', async (query) => {
    const search = await siteOf({
      ...CHATTER,
      keys: page('Rotate a signing key', 'Replace it in the settings.'),
      intro: page('Introduction', 'A signing key is made for you. Rotate it at times.'),
    });
    expect((await search.find(query)).pages[0]).toBe('keys.html');
  });

  test('a word of a question that is in no title and no heading counts less than one that is', async () => {
    const pages = {
      keys: page('Rotate keys', 'Replace them in the settings.'),
      notes: page('Notes', 'Those who are familiar with it, familiar as they are, rotate the keys at times.'),
    };
    const search = await siteOf({ ...CHATTER, ...pages });
    expect((await search.find('is anyone familiar with how to rotate keys ')).pages[0]).toBe('keys.html');
    expect((await search.find('familiar ')).pages[0]).toBe('notes.html');
  });

  test('a title of stop words alone is found by them', async () => {
    const search = await siteOf({ ...CHATTER, how: page('How to', 'Steps.'), other: page('Other', 'Text.') });
    expect((await search.find('how to ')).pages[0]).toBe('how.html');
  });

  test('stop words are those of the language of the index', async () => {
    const languages = ['en', 'de'].map((language) => ({
      language,
      pages: [`${language}/a`, `${language}/b`],
    }));
    const output = await renderFiles({
      'docs.json': config({ languages }),
      'en/a.mdx': page('Die casting', 'Text.'),
      'en/b.mdx': page('Casting', 'Text.'),
      'de/a.mdx': page('Seite löschen', 'Text.'),
      'de/b.mdx': page('Die die die', 'Die die die.'),
    });
    expect((await openSearch(output, 'en').find('die ')).pages).toEqual(['en/a.html']);
    expect((await openSearch(output, 'de').find('wie kann ich die Seite löschen')).pages).toEqual([
      'de/a.html',
    ]);
  });

  test('a question in Chinese or Japanese finds the page that it names', async () => {
    const search = await siteOf({
      one: page('部署', '在这里部署网站。'),
      two: page('什么是主题', '主题是网站的外观。如何使用主题。'),
      three: page('認証', '認証の設定です。'),
      four: page('何ですか', '何ですか。とは何ですか。'),
    });
    expect((await search.find('什么是部署')).pages[0]).toBe('one.html');
    expect((await search.find('認証とは何ですか')).pages[0]).toBe('three.html');
  });
});

describe('pages with some of the words', () => {
  const pages = {
    ...Object.fromEntries(
      Array.from({ length: 8 }, (_, at) => [`p${at}`, page(`Server ${at}`, 'The server and the client.')]),
    ),
    rare: page('Marsupials', 'The quokka.'),
    both: page('Animals', 'The quokka on a server.'),
  };

  test('are never left out, even if many pages have all words', async () => {
    const search = await siteOf({ ...pages, extra: page('Client', 'Only the client.') });
    const found = await search.find('server client ');
    expect(found.isPartial.filter((isPartial) => !isPartial)).toHaveLength(8);
    expect(found.pages).toEqual(expect.arrayContaining(['extra.html', 'both.html']));
  });

  test('are ordered by how rare the words are that they have', async () => {
    const search = await siteOf(pages);
    const found = await search.find('quokka server missing ');
    expect(found.pages[0]).toBe('both.html');
    expect(found.pages[1]).toBe('rare.html');
    expect(found.isPartial[0]).toBe(true);
  });

  test('the first result from which on none has all words is known', async () => {
    const search = await siteOf(pages);
    const { results, partialFrom } = await search.engine.search('quokka server ');
    expect(results.map(({ isPartial }) => isPartial).lastIndexOf(false) + 1).toBe(partialFrom);
    expect((await search.engine.search('quokka server missing ')).partialFrom).toBe(0);
  });
});

describe('names', () => {
  test('a page with the query as its title comes before longer titles and before texts', async () => {
    const search = await siteOf({
      text: page('Everything', 'Webhook events. '.repeat(20)),
      longer: page('Webhook events for teams and partners', 'Webhook events.'),
      exact: page('Webhook events', 'Text.'),
    });
    expect((await search.find('webhook events ')).pages).toEqual(['exact.html', 'longer.html', 'text.html']);
  });

  test('a page with the query as a heading comes before pages with its words in longer headings or the text', async () => {
    const search = await siteOf({
      text: page('Everything', 'Retry a delivery by its policy. '.repeat(20)),
      longer: page('Deliveries', '## Retry a delivery by the policy of a team\n\nText.'),
      exact: page('Settings', '## Other\n\nText.\n\n## Retry policy\n\nText.'),
    });
    const found = await search.find('retry policy ');
    expect(found.pages[0]).toBe('exact.html');
    expect(found.anchors['exact.html']?.[0]).toBe('retry-policy');
  });

  test('words in the order of the query come before the same words in another order', async () => {
    const search = await siteOf({
      ab: page('Group export', 'Text.'),
      ba: page('Export group', 'Text.'),
    });
    expect((await search.find('export group ')).pages).toEqual(['ba.html', 'ab.html']);
    expect((await search.find('group export ')).pages).toEqual(['ab.html', 'ba.html']);
  });

  test('words next to each other come before words apart', async () => {
    const search = await siteOf({
      apart: page('Custom themes and domain', 'Text.'),
      together: page('Themes and custom domain', 'Text.'),
    });
    expect((await search.find('custom domain ')).pages[0]).toBe('together.html');
  });

  test('a guide comes before an operation of its name, also with more words for the operation', async () => {
    const search = await siteOf({
      'api/users': page('Users', 'Users of users.', 'openapi: "GET /v1/users"\nkeywords: ["users"]\n'),
      guide: page('Users', 'People who sign in.'),
    });
    expect((await search.find('users ')).pages).toEqual(['guide.html', 'api/users.html']);
  });
});

describe('names of operations', () => {
  const operation = (operationId: string, summary: string) => ({ operationId, summary, responses: {} });
  const paths = {
    '/v1/users': {
      get: operation('getUsers', 'List people'),
      post: operation('users_create', 'Invite somebody'),
    },
    '/v1/users/{user_id}': { get: operation('getUser', 'Get users, one of the users') },
    '/v1/users/{user_id}/keys': {
      get: operation('getTheKeysOfOneOfTheUsersByTheNumberOfThatUser', 'List credentials'),
    },
  };
  const api = async (
    pages: Record<string, string> = { index: page('Start', 'Get users: GET /v1/users.') },
  ) => {
    const files = Object.entries(pages).map(([name, content]) => [`${name}.mdx`, content]);
    const openapi = { openapi: '3.1.0', info: { title: 'API', version: '1' }, paths };
    return openSearch(
      await renderFiles({
        'docs.json': config({
          groups: [
            { group: 'Start', pages: Object.keys(pages) },
            { group: 'API', openapi: 'api.json' },
          ],
        }),
        'api.json': JSON.stringify(openapi),
        ...Object.fromEntries(files),
      }),
    );
  };

  test.each([
    ['GET /v1/users', 'List people'],
    ['get /v1/users/', 'List people'],
    ['POST https://api.example.com/v1/users', 'Invite somebody'],
    ['GET /v1/users/{id}', 'Get users, one of the users'],
    ['GET /v1/users/:id', 'Get users, one of the users'],
    ['getUsers', 'List people'],
    ['getUser', 'Get users, one of the users'],
    ['users_create', 'Invite somebody'],
    ['getTheKeysOfOneOfTheUsersByTheNumberOfThatUser', 'List credentials'],
  ])('"%s" finds the operation first', async (query, title) => {
    const found = await (await api()).find(query);
    expect(found.titles[0]).toBe(title);
    expect(found.isPartial[0]).toBe(false);
  });

  test('a path without a method finds all of its operations first', async () => {
    const { titles } = await (await api()).find('/v1/users');
    expect(titles.slice(0, 2).sort()).toEqual(['Invite somebody', 'List people']);
  });

  test('a guide whose title is the query comes before the operation of that id', async () => {
    const search = await api({ guide: page('users_create', 'How to.') });
    expect((await search.find('users_create')).titles.slice(0, 2)).toEqual([
      'users_create',
      'Invite somebody',
    ]);
  });

  test('the index of a site without API pages has no names', async () => {
    const search = await siteOf({ a: page('A', 'GET /v1/users') });
    expect(search.directory).not.toHaveProperty('names');
    const { files } = await search.find('GET /v1/users');
    expect(files.filter((name) => name.startsWith('n'))).toEqual([]);
  });
});

describe('unfinished and mistyped words', () => {
  test('a word as typed comes before longer words that start like it, shorter ones first', async () => {
    const search = await siteOf({
      long: page('Authorizations', 'Text.'),
      middle: page('Authors', 'Text.'),
      exact: page('Auth', 'Text.'),
    });
    expect((await search.find('auth')).pages).toEqual(['exact.html', 'middle.html', 'long.html']);
  });

  test.each(['verview', 'zverview', 'voerview', 'overveiw'])('%s is Overview', async (query) => {
    const search = await siteOf({ one: page('Overview', 'Text.'), two: page('Zebra', 'Venus.') });
    const found = await search.find(`${query} `);
    expect(found.pages[0]).toBe('one.html');
    expect(found.corrections).toEqual([{ from: query, to: 'overview' }]);
  });

  test('a slip in a name with capitals is one word, not the parts that it seems to have', async () => {
    const search = await siteOf({
      my: page('MySQL', 'A database.'),
      parts: page('Parts', 'My query language: ms, y, ql, sy.'),
    });
    expect((await search.find('MSyQL ')).pages[0]).toBe('my.html');
  });
});

describe('versions, products and languages', () => {
  const version = (label: string, rest = {}) => ({ version: label, pages: [`${label}/a`], ...rest });
  const versions = {
    'docs.json': config({ versions: [version('v1'), version('v2', { default: true })] }),
    'v1/a.mdx': page('Tokens', 'Tokens. Tokens.', 'keywords: ["tokens"]\n'),
    'v2/a.mdx': page('Tokens', 'Text of the page.'),
  };

  test('the default version comes first for readers in none, and no version for those who chose one', async () => {
    const search = openSearch(await renderFiles(versions));
    expect((await search.find('text of tokens ')).pages[0]).toBe('v2/a.html');
    const { results } = await search.engine.search('tokens ', { version: 'v1' });
    const all = await search.engine.search('tokens ');
    const [first] = results;
    const same = all.results.find(({ page: number }) => number === first?.page);
    expect(first?.score).toBeGreaterThan(same?.score ?? 0);
  });

  test('a page without a language loads the index of the default language', async () => {
    const output = await renderFiles({
      'docs.json': config({
        languages: [
          { language: 'de', pages: ['de/a'] },
          { language: 'en', default: true, pages: ['en/a'] },
        ],
      }),
      'de/a.mdx': page('Hallo', 'Text.'),
      'en/a.mdx': page('Hello', 'Text.'),
      'free.mdx': page('Free', 'Text.'),
    });
    expect(textOf(output, 'free.html')).toContain('data-index="_offprint/search.en.js"');
  });

  const products = async () =>
    openSearch(
      await renderFiles({
        'docs.json': config({
          products: [
            { product: 'Cloud', pages: ['cloud/a', 'cloud/b'] },
            { product: 'Server', pages: ['server/a', 'server/b', 'server/c'] },
            { product: 'Agent', pages: ['agent/a'] },
          ],
        }),
        'cloud/a.mdx': page('Start', 'There is a backup.'),
        'cloud/b.mdx': page('Billing', 'Pay.'),
        'server/a.mdx': page('Backup', 'How to make a backup.'),
        'server/b.mdx': page('Backup schedule', 'When to make a backup.'),
        'server/c.mdx': page('Billing', 'Pay.'),
        'agent/a.mdx': page('Restore', 'Restore a backup.'),
      }),
    );

  test('a filter that hides much better pages reports where they are and how many', async () => {
    const search = await products();
    const { results, places } = await search.engine.search('backup ', { product: 'Cloud' });
    expect(results).toHaveLength(1);
    expect(places[0]).toEqual({ filters: { product: 'Server' }, count: 2 });
    expect((await search.engine.search('backup ', { product: 'Server' })).places).toEqual([]);
  });

  test('pages that are as good elsewhere are not reported, nor is anything without a filter', async () => {
    const search = await products();
    expect((await search.engine.search('billing ', { product: 'Cloud' })).places).toEqual([]);
    expect((await search.engine.search('backup ')).places).toEqual([]);
  });

  test('if the filter leaves nothing, every place with a result is reported, at most two', async () => {
    const search = await products();
    const { results, places } = await search.engine.search('schedule ', { product: 'Cloud' });
    expect(results).toEqual([]);
    expect(places).toEqual([{ filters: { product: 'Server' }, count: 1 }]);
  });
});

test('the script of the search has at most 15 kB compressed, in every language', async () => {
  const languages = ['en', 'hi', 'ru', 'ja', 'ar', 'vi'].map((language) => ({
    language,
    pages: [`${language}/a`],
  }));
  const files = languages.map(({ language }) => [`${language}/a.mdx`, page('A', 'Text.')]);
  const output = await renderFiles({ 'docs.json': config({ languages }), ...Object.fromEntries(files) });
  const scripts = [...output.files.keys()].filter((path) => /^_offprint\/search-.*\.js$/.test(path));
  expect(scripts).toHaveLength(languages.length);
  for (const path of scripts) expect(gzipSync(textOf(output, path)).length, path).toBeLessThan(15_000);
});
