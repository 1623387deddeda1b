/** The kind of program that sends a request, by its user agent. The same names as in the API. */
export type ClientKind = 'person' | 'agent' | 'search-crawler' | 'training-crawler' | 'other';

/**
 * Names in user agents, in lower case. The first row that matches decides. Sources: the pages of the operators for their
 * programs, as of November 2026.
 */
const rows: readonly (readonly [ClientKind, readonly string[]])[] = [
  // Fetch a page for a person who asks now, or work for one.
  [
    'agent',
    [
      'chatgpt-user', // platform.openai.com/docs/bots
      'chatgpt agent',
      'claude-user', // support.anthropic.com, "Does Anthropic crawl data from the web"
      'claude-code',
      'perplexity-user', // docs.perplexity.ai/guides/bots
      'mistralai-user', // docs.mistral.ai/robots
      'duckassistbot', // duckduckgo.com/duckduckgo-help-pages/results/duckassistbot
      'meta-externalfetcher', // developers.facebook.com/docs/sharing/webmasters/web-crawlers
      'google-notebooklm', // developers.google.com/search/docs/crawling-indexing/google-user-triggered-fetchers
      'google-agent',
      'gemini-deep-research',
      'amzn-user', // developer.amazon.com/amazonbot
      'manus-user',
      'cohere-ai', // fetches on the request of users of its assistant
      'githubcopilot',
      'cursor/',
      'windsurf/',
      'opencode/',
      'codex/',
      'devin/',
      'modelcontextprotocol',
    ],
  ],
  // Collect pages to train models.
  [
    'training-crawler',
    [
      'gptbot', // platform.openai.com/docs/bots
      'claudebot', // support.anthropic.com
      'claude-web',
      'anthropic-ai',
      'ccbot', // commoncrawl.org/ccbot
      'bytespider', // bytedance.com
      'meta-externalagent', // developers.facebook.com/docs/sharing/webmasters/web-crawlers
      'google-cloudvertexbot', // developers.google.com/search/docs/crawling-indexing/google-common-crawlers
      'amazonbot', // developer.amazon.com/amazonbot
      'cohere-training-data-crawler',
      'ai2bot', // allenai.org/crawler
      'diffbot', // docs.diffbot.com
      'webzio-extended', // webz.io/bot.html
      'omgili',
      'imagesiftbot', // imagesift.com/about
      'img2dataset',
      'timpibot', // timpi.io
      'pangubot',
      'deepseekbot',
      'icc-crawler',
      'sbintuitionsbot',
    ],
  ],
  // Collect pages for an index that people search.
  [
    'search-crawler',
    [
      'oai-searchbot', // platform.openai.com/docs/bots
      'claude-searchbot', // support.anthropic.com
      'perplexitybot', // docs.perplexity.ai/guides/bots
      'googlebot', // developers.google.com/search/docs/crawling-indexing/google-common-crawlers
      'google-inspectiontool',
      'storebot-google',
      'bingbot', // bing.com/webmasters/help/which-crawlers-does-bing-use
      'adidxbot',
      'duckduckbot', // duckduckgo.com/duckduckgo-help-pages/results/duckduckbot
      'applebot', // support.apple.com/119829
      'yandexbot', // yandex.com/support/webmaster/robot-workings/user-agent.html
      'baiduspider', // baidu.com/search/robots_english.html
      'sogou web spider',
      'petalbot', // aspiegel.com/petalbot
      'yeti/', // naver.me/spd
      'seznambot', // o-seznam.cz/napoveda/vyhledavani
      'qwantbot', // help.qwant.com/bot
      'youbot', // about.you.com/youbot
      'bravebot', // search.brave.com/help/brave-search-crawler
      'kagibot', // kagi.com/bot
      'mojeekbot', // mojeek.com/bot.html
      'yahoo! slurp',
      'algolia crawler', // algolia.com/doc/tools/crawler
      'typesense',
    ],
  ],
  // Programs that call themselves a browser: previews of links, monitors, tests, collectors of data.
  [
    'other',
    [
      'bot',
      'crawl',
      'spider',
      'scrap',
      'preview',
      'monitor',
      'facebookexternalhit',
      'headlesschrome',
      'phantomjs',
      'lighthouse',
      'pingdom',
      'statuscake',
      'site24x7',
      'google-read-aloud',
      'googleother',
      'ia_archiver',
      'whatsapp',
      'validator',
      'python',
      'http://',
      'https://',
      '+http',
    ],
  ],
];

/** What browsers send since Netscape, and before 2013 Opera. */
const browser = /^(?:Mozilla\/5\.0 \([^)]*\).*(?:AppleWebKit|Gecko|Trident)|Opera\/9)/;

/** `wantsMarkdown`: the request asks for Markdown rather than HTML, which programs do that read for a model. */
export function classifyClient(userAgent: string | undefined, wantsMarkdown: boolean): ClientKind {
  const text = (userAgent ?? '').slice(0, 1_000);
  // a brand of phones
  const lower = text.toLowerCase().replaceAll('cubot', '');
  const known = rows.find(([, names]) => names.some((name) => lower.includes(name)))?.[0];
  if (known !== undefined && known !== 'other') return known;
  if (known === undefined && browser.test(text)) return 'person';
  return wantsMarkdown ? 'agent' : 'other';
}
