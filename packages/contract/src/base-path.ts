import { z } from 'zod';

/**
 * The canonical form of the path below which a site is served: `/docs` for `docs`, `/docs/` and `/docs`,
 * empty for the root. Null for an invalid path.
 */
export function normalizeBasePath(text: string): string | null {
  if (text.length > 1024) return null;
  const segments = text.split('/').filter((segment) => segment !== '');
  if (segments.some((segment) => !/^[A-Za-z0-9._~-]+$/.test(segment) || /^\.+$/.test(segment))) return null;
  const path = segments.map((segment) => `/${segment}`).join('');
  return path.length > 200 ? null : path;
}

/** A base path in a request; becomes its canonical form. */
export const basePathInput = z
  .string()
  .transform((text, context) => {
    const path = normalizeBasePath(text);
    if (path !== null) return path;
    context.addIssue({
      code: 'custom',
      message:
        'must be a path such as /docs, of at most 200 letters, digits, dots, hyphens, underscores, tildes and slashes; empty for the root',
    });
    return z.NEVER;
  })
  .meta({
    description:
      'Path below which the site is served on its domains, such as /docs; empty for the root. It is part of canonical links, the sitemap and other absolute URLs of the site, from the next export on.',
    examples: ['/docs'],
  });

/** A base path in a response. */
export const basePath = z
  .string()
  .max(200)
  .meta({ description: 'Path below which the site is served; empty for the root.', examples: ['/docs'] });
