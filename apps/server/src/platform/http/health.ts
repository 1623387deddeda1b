import { openApiDocument, routes } from '@offprint/contract';
import type { Logger } from '../log.ts';
import { outageOf, outageOfWork } from '../outage.ts';
import { type HandledRoute, handle } from './route.ts';

/** Each resolves when the part can be used, and throws an Error that says why not. */
export type Checks = Readonly<Record<string, () => Promise<void>>>;

const CHECK_TIMEOUT_MS = 3_000;

/** Sentences for operators about what keeps no request from being served. */
export type ReadWarnings = () => Promise<string[]>;

/** Liveness, readiness and the description of the API. */
export function healthRoutes(parts: ReadinessParts, serverUrl: () => string): HandledRoute[] {
  let description: { url: string; document: ReturnType<typeof openApiDocument> } | null = null;
  return [
    handle(routes.getHealth, async () => ({ status: 200, body: { status: 'ok' } })),
    handle(routes.getReadiness, async () => {
      const body = await readiness(parts);
      if (body.status === 'ready') return { status: 200, body };
      return { status: 503, headers: { 'Retry-After': '5' }, body };
    }),
    handle(routes.getOpenApi, async () => {
      const url = serverUrl();
      // Made once: it takes milliseconds, and anybody may ask.
      if (description?.url !== url) description = { url, document: openApiDocument({ serverUrl: url }) };
      return { status: 200, body: description.document };
    }),
  ];
}

export interface ReadinessParts {
  checks: Checks;
  warnings: ReadWarnings;
  /** The isolation of render processes. */
  sandbox(): Promise<Record<string, string[]>>;
  log: Logger;
}

export interface Readiness {
  status: 'ready' | 'not_ready';
  checks: Record<string, string>;
  warnings: string[];
  /** What is kept from render processes, with the mechanisms that do so. */
  sandbox: Record<string, string[]>;
}

/** What /readyz returns. */
export async function readiness({ checks, warnings, sandbox, log }: ReadinessParts): Promise<Readiness> {
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => [name, await outcome(name, check, log)] as const),
  );
  const isReady = results.every(([, result]) => result === 'ok');
  return {
    status: isReady ? 'ready' : 'not_ready',
    checks: Object.fromEntries(results),
    warnings: isReady ? await warnings().catch(() => []) : [],
    sandbox: await sandbox(),
  };
}

/** The reasons go to anybody who asks, so they are words of ours, never of a driver. */
async function outcome(name: string, check: () => Promise<void>, log: Logger): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`no response within ${CHECK_TIMEOUT_MS / 1000} s`), CHECK_TIMEOUT_MS);
  });
  try {
    return await Promise.race([
      check().then(
        () => 'ok',
        (error: unknown) => {
          log.warn({ err: error, part: name }, 'a component is unavailable');
          const found = name === 'database' || name === 'queue' ? outageOf(error) : outageOfWork(error);
          return found?.message ?? 'is unavailable; see the log for the reason';
        },
      ),
      late,
    ]);
  } finally {
    clearTimeout(timer);
  }
}
