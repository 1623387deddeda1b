import { z } from 'zod';

/**
 * The canonical form of a host name: lower case, international names in punycode (UTS 46, as browsers do it),
 * no dot at the end. Null when the text is anything but a host name of at most 253 characters: a scheme, a
 * port, a path, an IP address, white space or a control character makes it none.
 */
export function normalizeDomain(text: string): string | null {
  if (text.length === 0 || text.length > 1024 || /[\s\p{Cc}/\\:@?#%[\]*"<>|^`{},;!$&'()+=~]/u.test(text))
    return null;
  const url = URL.parse(`http://${text}/`);
  if (url === null || url.pathname !== '/') return null;
  const host = url.hostname.endsWith('.') ? url.hostname.slice(0, -1) : url.hostname;
  if (host.length === 0 || host.length > 253) return null;
  const label = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
  const labels = host.split('.');
  if (!labels.every((part) => label.test(part))) return null;
  return /^[0-9]+$/.test(labels.at(-1)!) ? null : host;
}

/** A host name in a request; becomes its canonical form. */
export const domainInput = z
  .string()
  .transform((text, context) => {
    const domain = normalizeDomain(text);
    if (domain !== null) return domain;
    context.addIssue({
      code: 'custom',
      message: 'must be a host name only, such as docs.example.com: no scheme, port, slash or path',
    });
    return z.NEVER;
  })
  .meta({
    description:
      'Host name of the site. No scheme, port, slash or path; upper case and international names are normalized.',
    examples: ['docs.example.com'],
  });

/** A host name in a response. */
export const domain = z
  .string()
  .min(1)
  .max(253)
  .meta({ description: 'Host name, lower case, in punycode.', examples: ['docs.example.com'] });
