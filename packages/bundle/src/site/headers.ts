import type { ManifestFile } from '../manifest.ts';
import { documentPolicy, sitePolicy } from './policy.ts';

const featuresOff = [
  'accelerometer',
  'autoplay',
  'camera',
  'display-capture',
  'encrypted-media',
  'geolocation',
  'gyroscope',
  'hid',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'publickey-credentials-get',
  'screen-wake-lock',
  'serial',
  'usb',
  'xr-spatial-tracking',
];
// copy buttons and videos of the site itself
const featuresOwn = ['clipboard-write', 'fullscreen', 'picture-in-picture'];

export interface HeaderOptions {
  /** The site uses https: send HSTS. */
  https: boolean;
  /** Origins of APIs to which pages of the site send requests; the policy in each page says which page may. */
  connect?: readonly string[] | undefined;
}

/** Headers of every response unless `fileHeaders` overrides them (reliability rules, section 5.7). */
export function siteHeaders(options: HeaderOptions): Record<string, string> {
  return {
    'Content-Security-Policy': sitePolicy({ connect: options.connect ?? [] }),
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'strict-origin-when-cross-origin',
    'Permissions-Policy': [
      ...featuresOff.map((name) => `${name}=()`),
      ...featuresOwn.map((name) => `${name}=(self)`),
    ].join(', '),
    'Cross-Origin-Opener-Policy': 'same-origin',
    ...(options.https ? { 'Strict-Transport-Security': 'max-age=31536000' } : {}),
  };
}

/** Content types of such files. */
export const isForeignDocument = /^(?:image\/svg\+xml|application\/(?:xhtml\+)?xml|text\/xml)\b/;
/** Paths of files whose name changes with their content, except the sidebar script. */
export const isHashed =
  /^_offprint\/(?!nav-)(?:.*\/)?(?:[^/]*[.-])?(?:[0-9a-f]{8,64}|[0-9A-Z]{8})\.[0-9a-z]+$/;

/** Headers of one file: type, ETag, caching, and the policy of documents that are not pages. */
export function fileHeaders(file: ManifestFile): Record<string, string> {
  return {
    'Content-Type': file.contentType,
    ETag: `"${file.sha256.slice(0, 32)}"`,
    'Accept-Ranges': 'bytes',
    'Cache-Control': isHashed.test(file.path) ? 'public, max-age=31536000, immutable' : 'no-cache',
    // Markdown versions are for agents; search engines should index the page itself.
    ...(file.path.endsWith('.md') ? { 'X-Robots-Tag': 'noindex' } : {}),
    ...(isForeignDocument.test(file.contentType) ? { 'Content-Security-Policy': documentPolicy } : {}),
  };
}
