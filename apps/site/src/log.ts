export type LogFormat = 'json' | 'text';
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Writes log lines. Callers pass no secrets: links as host and path, never keys. */
export interface Log {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** A log of one line per record, by default to standard error. */
export function createLog(
  format: LogFormat,
  write: (line: string) => void = (line) => process.stderr.write(line),
): Log {
  const at =
    (level: string) =>
    (message: string, fields: LogFields = {}) => {
      const time = new Date().toISOString();
      if (format === 'json') {
        write(`${JSON.stringify({ time, level, message, ...fields })}\n`);
        return;
      }
      const rest = Object.entries(fields).filter(([, value]) => value !== undefined);
      const pairs = rest.map(([name, value]) => ` ${name}=${JSON.stringify(value)}`).join('');
      write(`${time} ${level.padEnd(5)} ${message}${pairs}\n`);
    };
  return { info: at('info'), warn: at('warn'), error: at('error') };
}
