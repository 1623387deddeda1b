import { escapeAttribute, escapeText } from '../escape.ts';
import { documentStart } from '../theme/policy.ts';
import { languageTag } from '../theme/strings.ts';
import type { Theme } from '../theme/theme.ts';

/** Output path of the page with nothing but the assistant, which other sites embed in a frame. */
export const WIDGET_PAGE = '_offprint/assistant.html';

/** The page that opens the assistant at once. Its files are beside it. */
export function widgetPage({ siteMap, assets }: Theme): string {
  const { config } = siteMap;
  const fixed = config.appearance.default === 'system' ? '' : ` class="${config.appearance.default}"`;
  const language = languageTag(
    siteMap.pages[0]?.trail.find(({ kind }) => kind === 'language')?.label ?? 'en',
  );
  const beside = (path: string): string => escapeAttribute(path.replace(/^_offprint\//, ''));
  const scripts = assets.serviceScripts
    .filter((path) => path.includes('service-assistant'))
    .map((path) => `<script src="${beside(path)}" defer></script>`);
  return `<!doctype html>
<html lang="${escapeAttribute(language)}"${fixed} data-appearance="${config.appearance.default}" data-theme="${config.theme}" data-base="../" data-page="" data-widget>
<head>${documentStart}<meta name="viewport" content="width=device-width, initial-scale=1"><title>${escapeText(config.name)}</title><meta name="robots" content="noindex"><meta name="color-scheme" content="light dark"><link rel="icon" href="data:,"><link rel="stylesheet" href="${beside(assets.stylesheet)}"><script src="${beside(assets.script)}"></script>${scripts.join('')}</head>
<body></body>
</html>
`;
}
