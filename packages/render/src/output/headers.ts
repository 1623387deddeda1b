import { documentPolicy, sitePolicy } from '@offprint/bundle/policy';
import type { Theme, ThemeFile } from '../theme/index.ts';

/** `_headers` for hosts that read it: a policy without any other host but the APIs of playgrounds, and caching by name. */
export function headersFile(theme: Theme, files: readonly ThemeFile[], connect: readonly string[]): string {
  const lasting = files
    .map((file) => file.path)
    .filter((path) => /^_offprint\/(?:site|theme|search|service)-/.test(path))
    .concat(
      '_offprint/islands/*',
      '_offprint/utilities/*',
      '_offprint/fonts/*',
      '_offprint/og/*',
      '_offprint/remote/*',
      '_offprint/search/*',
      ...(theme.siteMap.config.images.variants === null ? [] : ['_offprint/images/*']),
    );
  const blocks = [
    `/*\n  Content-Security-Policy: ${sitePolicy({ connect })}\n  X-Content-Type-Options: nosniff\n  Referrer-Policy: strict-origin-when-cross-origin\n  Permissions-Policy: camera=(), geolocation=(), microphone=(), payment=(), usb=()\n  Cross-Origin-Opener-Policy: same-origin\n${discovery(theme)}`,
    // Twins are for agents; search engines keep the page itself.
    '/*.md\n  X-Robots-Tag: noindex',
    `/*.svg\n  Content-Security-Policy: ${documentPolicy}`,
    ...lasting.map((path) => `/${path}\n  Cache-Control: public, max-age=31536000, immutable`),
  ];
  return `${blocks.join('\n\n')}\n`;
}

/** Where agents find the texts of the site, and whether search engines may list it. */
function discovery(theme: Theme): string {
  const base = theme.basePath;
  const closed = /noindex|none/.test(theme.siteMap.config.seo.metatags.robots ?? '');
  return [
    `  Link: <${base}/llms.txt>; rel="llms-txt", <${base}/llms-full.txt>; rel="llms-full-txt"`,
    `  X-Llms-Txt: ${base}/llms.txt`,
    ...(closed ? ['  X-Robots-Tag: noindex'] : []),
  ].join('\n');
}
