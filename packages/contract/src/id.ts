import { z } from 'zod';

/** Prefix of the ids of each kind of thing. The rest is 32 lower-case hexadecimal digits (128 random bits). */
export const idPrefixes = {
  organization: 'org_',
  project: 'prj_',
  apiKey: 'key_',
  export: 'se_',
  deployment: 'dep_',
  agentJob: 'job_',
  user: 'usr_',
  session: 'ses_',
  invitation: 'inv_',
  webhookEndpoint: 'whe_',
  notification: 'ntf_',
  domain: 'dom_',
  feedback: 'fb_',
  request: 'req_',
} as const;

export type IdKind = keyof typeof idPrefixes;

/** Makes an id from 16 random bytes. */
export function formatId(kind: IdKind, random: Uint8Array): string {
  if (random.length !== 16) throw new RangeError(`An id takes 16 random bytes, not ${random.length}.`);
  let hex = '';
  for (const byte of random) hex += byte.toString(16).padStart(2, '0');
  return idPrefixes[kind] + hex;
}

/** Whether the text has the form of an id of this kind. Says nothing about its existence. */
export function isWellFormedId(kind: IdKind, text: string): boolean {
  const prefix = idPrefixes[kind];
  return text.startsWith(prefix) && /^[0-9a-f]{32}$/.test(text.slice(prefix.length));
}

/** Schema of an id in a response. */
export function idSchema(kind: IdKind, description: string) {
  return z
    .string()
    .regex(new RegExp(`^${idPrefixes[kind]}[0-9a-f]{32}$`))
    .describe(description);
}

/**
 * Schema of an id in a path. Accepts any text: a malformed id returns 404 like an unknown one, so that a
 * caller cannot distinguish the two. NUL, which no database text can contain, becomes U+FFFD, which no id
 * contains.
 */
export function idParam(description: string) {
  return z
    .string()
    .transform((text) => text.replaceAll('\0', '\uFFFD'))
    .describe(description);
}
