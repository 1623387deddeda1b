export type LogFormat = 'json' | 'text';
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Writes lines about what happens. Callers pass no secret: links by host and path, keys never. */
export interface Log {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** A log of one line a record, by default to standard error. */
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
