import { z } from 'zod';

/** Response of `/healthz`: the process runs. */
export const health = z
  .object({ status: z.literal('ok') })
  .meta({ id: 'Health', examples: [{ status: 'ok' }] });
export type Health = z.output<typeof health>;

/** Response of `/readyz`: whether the process can serve requests, by component. */
export const readiness = z
  .object({
    status: z.enum(['ready', 'not_ready']),
    checks: z.record(z.string(), z.string()).describe('Part to `ok` or the reason why it cannot be used.'),
  })
  .meta({ id: 'Readiness', examples: [{ status: 'ready', checks: { database: 'ok', blobs: 'ok' } }] });
export type Readiness = z.output<typeof readiness>;
