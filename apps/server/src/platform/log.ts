import { destination, type Logger, pino, type StreamEntry } from 'pino';

export type { Logger } from 'pino';

export interface LogOptions {
  level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
  format: 'json' | 'text';
  /** Written on every line. */
  role: string;
  /** Where lines go; default standard error, so that standard output stays free for a command's result. */
  stream?: { write(line: string): void };
}

/**
 * The process log: one line per event. Authorization headers are cut by path, and whatever looks like an API
 * key, a link signature or a credential in a URL is masked in the finished line, wherever it came from.
 */
export function createLogger(options: LogOptions): Logger {
  const sink = options.stream ?? destination({ dest: 2, sync: true });
  const stream: StreamEntry['stream'] =
    options.format === 'json' ? sink : { write: (line: string) => sink.write(textLine(line)) };
  return pino(
    {
      level: options.level,
      base: { role: options.role },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: ['authorization', '*.authorization', '*.headers.authorization', '*.headers.cookie'],
        censor: '[secret]',
      },
      serializers: { err: serializeError },
      hooks: { streamWrite: maskSecrets },
    },
    stream,
  );
}

const CAUSES = 5;

/** Name, message, code and stack of an error and its causes; drivers hang whole connections on theirs. */
function serializeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? error.code : undefined;
  return {
    type: error.name,
    message: error.message,
    ...(typeof code === 'string' ? { code } : {}),
    stack: error.stack,
    ...(error.cause === undefined || depth === CAUSES
      ? {}
      : { cause: serializeError(error.cause, depth + 1) }),
  };
}

/** Replaces API keys, session cookies, tokens of links, link signatures, tokens of previews and credentials in URLs by `[secret]`. */
function maskSecrets(line: string): string {
  return line
    .replace(/offprint_[0-9A-Za-z]{38}/g, 'offprint_[secret]')
    .replace(/(offprint_(?:session|single_sign_on)=)[^;"'\s\\]+/gi, '$1[secret]')
    .replace(
      /([?&#](?:signature|sig|token|code|x-amz-(?:signature|security-token|credential))=)[^&"'\s\\]+/gi,
      '$1[secret]',
    )
    .replace(/(\/preview\/)[^/?#"'\s\\]+/gi, '$1[secret]')
    .replace(/(\b[a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/@"'\\]+@/gi, '$1[secret]@');
}

function textLine(line: string): string {
  const { level, time, role, msg, ...rest } = JSON.parse(line) as Record<string, unknown>;
  const details = Object.entries(rest)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${name}=${knownErrorText(value) ?? valueText(value)}`)
    .join(' ');
  // Control characters of a stranger's text must not reach a terminal.
  const text = `${String(time)} ${String(level).padEnd(5)} ${String(role)} ${String(msg ?? '')} ${details}`;
  return `${text.replace(/[\x00-\x1f\x7f-\x9f]/g, ' ').trimEnd()}\n`;
}

const valueText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Codes of errors of this project, such as `source_unreachable`; those of systems and databases have other letters. */
const OWN_CODE = /^[a-z][a-z_-]*$/;

/** The messages of an error of this project and of its causes: people need no stack to act on them. */
function knownErrorText(value: unknown): string | null {
  const messages = new Set<string>();
  for (let error = asRecord(value); error !== null; error = asRecord(error.cause)) {
    if (messages.size === 0 && !OWN_CODE.test(String(error.code ?? ''))) return null;
    messages.add(`${String(error.message)}${typeof error.code === 'string' ? ` (${error.code})` : ''}`);
  }
  return messages.size === 0 ? null : [...messages].join(' caused by ');
}

const asRecord = (value: unknown): Record<string, unknown> | null =>
  typeof value === 'object' && value !== null ? { ...value } : null;
