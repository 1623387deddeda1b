import type { FastifyInstance } from 'fastify';

/** RFC 9116 recommends less than a year, so that a copy of a server that is gone does not count. */
const VALID_MS = 90 * 86_400_000;

/**
 * Serves `/.well-known/security.txt` (RFC 9116): whom to tell about a vulnerability of this installation. Without a
 * contact the file is not found, because a wrong one would be worse.
 */
export function registerSecurityTxt(
  app: FastifyInstance,
  { contacts, origin }: { contacts: readonly string[]; origin: string | undefined },
): void {
  if (contacts.length === 0) return;
  app.get('/.well-known/security.txt', async (_request, reply) => {
    const expires = new Date(Date.now() + VALID_MS).toISOString().replace(/\.\d+Z$/, 'Z');
    const lines = [
      ...contacts.map((contact) => `Contact: ${contact}`),
      `Expires: ${expires}`,
      ...(origin === undefined ? [] : [`Canonical: ${origin}/.well-known/security.txt`]),
    ];
    return reply
      .headers({ 'Cache-Control': 'public, max-age=86400', 'Cross-Origin-Resource-Policy': 'cross-origin' })
      .type('text/plain; charset=utf-8')
      .send(`${lines.join('\n')}\n`);
  });
}
