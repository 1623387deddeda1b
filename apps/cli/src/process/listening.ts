import { listenErrorText } from '@offprint/bundle';
import { CliError } from '../errors.ts';

/** The options of a command that set where a server listens, for error messages. */
export interface Listening {
  /** Such as `--port or OFFPRINT_PORT`. */
  port: string;
  host: string;
}

const PROBE_MS = 1_000;

/** Waits for `started`. Rejects with a CliError if the server cannot listen. */
export async function whileListening<Server>(choice: Listening, started: Promise<Server>): Promise<Server> {
  try {
    return await started;
  } catch (error) {
    throw (await listenFailure(choice, error)) ?? error;
  }
}

/** A CliError for a server that cannot listen; null for any other error. */
export async function listenFailure(choice: Listening, error: unknown): Promise<CliError | null> {
  const text = listenErrorText(error, choice);
  if (text === null) return null;
  const other = isInUse(error) ? await findOffprint(error.address, error.port) : null;
  return new CliError(1, other === null ? text : `${text} Another Offprint responds at ${other}`, {
    cause: error,
  });
}

function isInUse(error: unknown): error is Error & { address: string; port: number } {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE' && 'port' in error;
}

/** The URL at which another Offprint responds; null for any other program. */
async function findOffprint(address: string, port: number): Promise<string | null> {
  const host = /^(?:0\.0\.0\.0|::|)$/.test(address) ? '127.0.0.1' : address;
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}/`;
  const signal = AbortSignal.timeout(PROBE_MS);
  const ask = async (path: string): Promise<string> => {
    const response = await fetch(new URL(path, url), { signal, redirect: 'manual' });
    return response.ok ? response.text() : '';
  };
  try {
    const [api, preview] = await Promise.all([ask('openapi.json'), ask('_offprint/preview/state')]);
    return /"title":\s*"Offprint/.test(api) || preview.includes('"generation"') ? url : null;
  } catch {
    return null;
  }
}
