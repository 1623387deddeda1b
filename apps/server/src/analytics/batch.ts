import { clientKinds } from '@offprint/contract';
import { z } from 'zod';

// The protocol between site servers and the platform. What is not of this form is left out and counted, so that one
// event of an unknown version does not hold back the others.

const plain = (max: number) =>
  z
    .string()
    .max(max)
    // PostgreSQL stores no NUL, and no half of a surrogate pair.
    .transform((text) => text.replaceAll('\0', '').toWellFormed());
const path = plain(1_024).pipe(z.string().startsWith('/'));
const common = {
  /** Milliseconds since 1970. */
  at: z.number().int().min(0).max(8.64e15),
  projectId: plain(128),
  path,
  client: z.enum(clientKinds),
};
const visitor = z
  .string()
  .regex(/^[0-9a-f]{16}$/)
  .nullable();

const event = z.discriminatedUnion('kind', [
  z.object({
    ...common,
    kind: z.literal('view'),
    visitor,
    isMarkdown: z.boolean(),
    /** Host of another site with the link. */
    referrer: plain(253).nullable(),
  }),
  z.object({
    ...common,
    kind: z.literal('search'),
    query: plain(200).pipe(z.string().min(1)),
    results: z.number().int().min(0).max(1_000_000),
  }),
  z.object({ ...common, kind: z.literal('click'), query: plain(200).pipe(z.string().min(1)), target: path }),
  z.object({ ...common, kind: z.literal('copy') }),
  z.object({ ...common, kind: z.literal('playground') }),
  z.object({
    ...common,
    kind: z.literal('missing'),
    /** Page with the link: a path of the site, or origin and path of another one; empty if unknown. */
    referrer: plain(1_024),
  }),
  z.object({
    ...common,
    kind: z.literal('feedback'),
    entry: z.string().regex(/^[\w.-]{8,64}$/),
    helpful: z.boolean().nullable(),
    comment: plain(1_000).nullable(),
    isAgent: z.boolean(),
  }),
]);

/** What a reader did, as a site server reports it. */
export type ReportedEvent = z.output<typeof event>;

/** Events of one request. */
export const MAX_BATCH_EVENTS = 1_000;

const body = z.object({
  /** Of these events and no others. */
  id: z.string().regex(/^[\w.-]{8,100}$/),
  events: z.array(z.unknown()).max(MAX_BATCH_EVENTS),
});

export interface Batch {
  id: string;
  events: ReportedEvent[];
  /** Number of events that are not of the known form. */
  unknown: number;
}

/** The batch in a request; null for something else. */
export function readBatch(value: unknown): Batch | null {
  const parsed = body.safeParse(value);
  if (!parsed.success) return null;
  const events = parsed.data.events.flatMap((one) => event.safeParse(one).data ?? []);
  return { id: parsed.data.id, events, unknown: parsed.data.events.length - events.length };
}
