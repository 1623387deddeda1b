import { z } from 'zod';

/**
 * The canonical form of a page path: no slash at either end, no `.mdx`, `.md` or `.html`; `/` is `index`.
 * Null when it cannot be the path of a page (empty, over 1,024 characters, `.` or `..` segments, a backslash,
 * a control character).
 */
export function normalizePagePath(text: string): string | null {
  if (text.length === 0 || text.length > 1024 || /[\\\p{Cc}]/u.test(text)) return null;
  const path = text.replace(/^\/+|\/+$/g, '').replace(/\.(?:mdx|md|html)$/i, '') || 'index';
  return path.split('/').some((part) => part === '' || part === '.' || part === '..') ? null : path;
}

/** A page path in a request; becomes its canonical form. */
export const pagePathInput = z
  .string()
  .transform((text, context) => {
    const path = normalizePagePath(text);
    if (path !== null) return path;
    context.addIssue({ code: 'custom', message: 'must be a page path, such as guides/start' });
    return z.NEVER;
  })
  .meta({
    description: 'Path of a page below the docs folder. A leading slash and an extension are allowed.',
    examples: ['guides/getting-started'],
  });
