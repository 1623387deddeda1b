/** A site that uses every part of the frame at once, for tests of the theme: files by path. */
export function kitchenSite(theme: string, more: Record<string, unknown> = {}): Record<string, string> {
  const files: Record<string, string> = { 'docs.json': JSON.stringify({ ...CONFIG, theme, ...more }) };
  const names = [...PAGES, ...Array.from({ length: MANY }, (_each, at) => `many/page-${at + 1}`)];
  for (const path of names) files[`${path}.mdx`] = pageText(path);
  for (const mode of MODES) files[`modes/${mode}.mdx`] = pageText(`modes/${mode}`, `mode: ${mode}`);
  files['index.mdx'] = HOME;
  files['ar/index.mdx'] = ARABIC;
  files['short.mdx'] = SHORT;
  return files;
}

/** Pages of the long group. */
export const MANY = 80;
const MODES = ['wide', 'custom', 'center', 'frame'];
const PAGES = [
  'start',
  'long',
  'ref/index',
  'ref/one',
  'ref/two',
  'ref/deep/a',
  'ref/deep/b',
  'list/index',
  'list/a',
  'list/b',
  'learn/courses',
  'learn/videos',
  'v2/index',
  'de/index',
];

function pageText(path: string, field = 'deprecated: false'): string {
  const title = path === 'long' ? 'A very long title that fits in no line of a sidebar or a phone' : path;
  const section = (name: string): string =>
    `## ${name}\n\n${'Words that fill some lines of the page. '.repeat(20)}\n\n`;
  return `---\ntitle: "${title}"\ndescription: About ${path}.\n${field}\n---\n\nText and a [link](/start).\n\n${['First', 'Second', 'Third', 'Fourth'].map(section).join('')}`;
}

const HOME = `---
title: Welcome
description: A site that has everything at once.
authors:
  - Ada Lovelace
  - name: Grace Hopper
    url: https://example.com/grace
lastUpdatedDate: 2026-08-14
related:
  - /start
  - Elsewhere: https://example.com
---

## One

<CardGroup cols={2}>
  <Card title="A card" icon="star" href="/start">With words.</Card>
  <Card title="Other" icon="moon">With words.</Card>
</CardGroup>

<Note>Watch out.</Note>

## Two

\`\`\`js
const a = 1;
\`\`\`
`;

const SHORT = `---
title: Short
---

## One

Text.

## Two

Text.

## Sidebar

Text.
`;

const ARABIC = `---
title: مرحبا
description: موقع فيه كل شيء.
---

نص قصير.

## الأول

نص

## الثاني

نص
`;

const GUIDES = {
  tab: 'Guides',
  icon: 'book-open',
  groups: [
    { group: 'Begin', icon: 'rocket', pages: ['index', 'start', 'long'] },
    {
      group: 'Reference',
      root: 'ref/index',
      directory: 'card',
      pages: [
        'ref/one',
        'ref/two',
        { group: 'Deep', icon: 'layers', tag: 'beta', pages: ['ref/deep/a', 'ref/deep/b'] },
        { group: 'Listing', root: 'list/index', directory: 'accordion', pages: ['list/a', 'list/b'] },
      ],
    },
    { group: 'Many', pages: Array.from({ length: MANY }, (_each, at) => `many/page-${at + 1}`) },
  ],
};

const LEARN = {
  tab: 'Learn',
  menu: [
    { item: 'Courses', icon: 'school', description: 'Step by step', pages: ['learn/courses'] },
    { item: 'Videos', icon: 'video', description: 'Watch it done', pages: ['learn/videos'] },
    { item: 'Forum', description: 'On another site', href: 'https://forum.example.com' },
  ],
};

const CONFIG = {
  name: 'Kitchen',
  colors: { primary: '#7c3aed', light: '#a78bfa', dark: '#5b21b6' },
  icons: { library: 'lucide' },
  banner: { content: 'New: **version 3**. [Read more](/start)', dismissible: true },
  metadata: { timestamp: true },
  contextual: { options: ['copy', 'view', 'chatgpt', 'claude', 'download-pdf'] },
  navbar: {
    links: [
      { label: 'Support', href: 'mailto:help@example.com' },
      { type: 'github', href: 'https://github.com/example/kitchen' },
    ],
    primary: { label: 'Dashboard', href: 'https://app.example.com' },
  },
  footer: {
    socials: { x: 'https://x.com/example', github: 'https://github.com/example' },
    links: [{ header: 'Company', items: [{ label: 'Start', href: '/start' }] }],
  },
  navigation: {
    global: {
      anchors: [
        {
          anchor: 'Community',
          icon: 'users',
          href: 'https://community.example.com',
          color: { light: '#c2410c', dark: '#fb923c' },
        },
      ],
    },
    languages: [
      {
        language: 'en',
        versions: [
          {
            version: 'v3',
            tag: 'latest',
            default: true,
            tabs: [
              GUIDES,
              LEARN,
              { tab: 'Modes', pages: MODES.map((mode) => `modes/${mode}`) },
              { tab: 'Status', align: 'end', href: 'https://status.example.com' },
            ],
          },
          { version: 'v2', tag: 'old', pages: ['v2/index'] },
        ],
      },
      { language: 'ar', tabs: [{ tab: 'أدلة', groups: [{ group: 'ابدأ', pages: ['ar/index'] }] }] },
      { language: 'de', groups: [{ group: 'Anfang', pages: ['de/index'] }] },
    ],
  },
};
