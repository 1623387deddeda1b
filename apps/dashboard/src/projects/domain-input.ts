import { normalizeDomain } from '@offprint/contract';

/** What became of a domain as typed: its canonical form, or what is wrong and what was probably meant. */
export type DomainInput =
  | { domain: string; fault: null; suggestion: null }
  | { domain: null; fault: string; suggestion: string | null };

/** Reads a typed domain. An address of a site is refused with the host name in it as the suggestion. */
export function readDomain(text: string, taken: readonly string[] = []): DomainInput {
  const typed = text.trim();
  if (typed === '') return fault('Enter a host name, such as docs.example.com.');
  const domain = normalizeDomain(typed);
  if (domain !== null)
    return taken.includes(domain)
      ? fault(`${domain} is already in the list.`)
      : { domain, fault: null, suggestion: null };
  const host = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(typed) ? typed : `https://${typed}`)?.hostname ?? '';
  const meant = normalizeDomain(host);
  if (meant !== null && !/\s/.test(typed))
    return fault('Enter only the host name, without scheme, port, slash or path.', meant);
  return fault(
    /^[\d.]+(:\d+)?$|^\[/.test(typed)
      ? 'An IP address is not a host name. Enter a name such as docs.example.com.'
      : 'Invalid host name. Use letters, digits, dots and hyphens, such as docs.example.com.',
  );
}

function fault(sentence: string, suggestion: string | null = null): DomainInput {
  return { domain: null, fault: sentence, suggestion };
}

/**
 * A domain for a site that has none yet: below `internal`, a name that no one else can own on the internet.
 * An export needs a domain for canonical links, no DNS.
 */
export function placeholderDomain(name: string): string {
  const label = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 50)
    .replace(/^-+|-+$/g, '');
  return `${label === '' ? 'docs' : label}.internal`;
}
