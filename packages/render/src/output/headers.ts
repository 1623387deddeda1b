import type { ThemeFile } from '../theme/index.ts';

/** Origins that pages of the site embed, by directive of the policy. */
export interface Embeds {
  frames: Set<string>;
  media: Set<string>;
}

const TAG = /<(iframe|img|video|audio|source|track)\b[^>]*?\ssrc="(https:\/\/[^/"?#]+)/gi;

/** Notes the other hosts that a page's HTML embeds. */
export function noteEmbeds(html: string, embeds: Embeds): void {
  if (!html.includes('src="https:')) return;
  for (const [, tag, origin] of html.matchAll(TAG)) {
    if (!/^https:\/\/[\w.:[\]-]+$/.test(origin!)) continue;
    (tag!.toLowerCase() === 'iframe' ? embeds.frames : embeds.media).add(origin!.toLowerCase());
  }
}

/** `_headers` for hosts that read it: the policy of reliability.md section 5.7, and caching by name. */
export function headersFile(embeds: Embeds, files: readonly ThemeFile[]): string {
  const frames = [...embeds.frames].sort();
  const media = [...embeds.media].sort();
  const also = media.map((origin) => ` ${origin}`).join('');
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "style-src-attr 'unsafe-inline'",
    `img-src 'self' data:${also}`,
    "font-src 'self'",
    `media-src 'self'${also}`,
    "connect-src 'self'",
    `frame-src ${frames.length === 0 ? "'none'" : frames.join(' ')}`,
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'self'",
    "object-src 'none'",
  ].join('; ');
  const lasting = files
    .map((file) => file.path)
    .filter((path) => /^_offprint\/(?:site|theme)-/.test(path))
    .concat('_offprint/fonts/*');
  const blocks = [
    `/*\n  Content-Security-Policy: ${policy}\n  X-Content-Type-Options: nosniff\n  Referrer-Policy: strict-origin-when-cross-origin\n  Permissions-Policy: camera=(), geolocation=(), microphone=(), payment=(), usb=()\n  Cross-Origin-Opener-Policy: same-origin`,
    "/*.svg\n  Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; sandbox",
    ...lasting.map((path) => `/${path}\n  Cache-Control: public, max-age=31536000, immutable`),
  ];
  return `${blocks.join('\n\n')}\n`;
}
