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
    warnings: z
      .array(z.string())
      .default([])
      .describe(
        'What an operator should know although requests are served, such as jobs that no worker starts.',
      ),
    sandbox: z
      .record(z.string(), z.array(z.string()))
      .describe(
        'What is kept from render processes (`files`, `network`, `processes`, `systemCalls`), with the mechanisms that do so; empty where none does. `renderer`: render processes run in a renderer, which reports its own.',
      ),
  })
  .meta({
    id: 'Readiness',
    examples: [
      {
        status: 'ready',
        checks: { database: 'ok', blobs: 'ok' },
        warnings: [],
        sandbox: {
          files: ['Landlock'],
          network: ['seccomp'],
          processes: ['seccomp'],
          systemCalls: ['seccomp'],
        },
      },
    ],
  });
export type Readiness = z.output<typeof readiness>;
