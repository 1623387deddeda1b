import { describe, expect, test } from 'vitest';
import { createLogger } from './log.ts';

const KEY = `offprint_${'aB3'.repeat(12)}xy`;

function lines(format: 'json' | 'text', write: (log: ReturnType<typeof createLogger>) => void): string {
  let text = '';
  const stream = {
    write: (line: string) => {
      text += line;
    },
  };
  write(createLogger({ level: 'info', format, role: 'api', stream }));
  return text;
}

describe.each(['json', 'text'] as const)('the %s log', (format) => {
  test('holds no secret, wherever it stands', () => {
    const text = lines(format, (log) => {
      log.info(
        {
          headers: { authorization: 'Bearer x1' },
          req: { headers: { authorization: 'Bearer x2', cookie: 'x3' } },
        },
        'm',
      );
      log.info({ note: `key ${KEY}` }, `used ${KEY}`);
      log.warn({ err: new Error(`GET /blobs/a?expires=1&signature=abc-DEF_123 failed with ${KEY}`) }, 'm');
      log.info('cloning https://user:token@example.com/x.git and postgresql://u:p@h/db');
      log.info({ note: 'a=b; __Host-offprint_session=seSSion-1; offprint_single_sign_on=seAled_2' }, 'm');
      log.info('mailed https://docs.example.com/reset-password#token=reSet-3');
    });
    expect(text).not.toMatch(/x1|x2|x3|aB3aB3|abc-DEF|user:token|u:p@|seSSion|seAled|reSet-3/);
    expect(text).toContain('[secret]');
    expect(text.trimEnd().split('\n')).toHaveLength(6);
  });

  test('logs of an error its name, message, code, stack and causes, and nothing that hangs on it', () => {
    const cause = Object.assign(new Error('no socket'), {
      code: 'ECONNREFUSED',
      client: { secretKey: 4711 },
    });
    const error = new Error('query failed', { cause });
    const text = lines(format, (log) => log.warn({ err: error }, 'm'));
    expect(text).toMatch(/query failed.*log\.test\.ts.*no socket.*ECONNREFUSED|query failed.*no socket/);
    expect(text).not.toContain('4711');
    const own: Error & { cause?: unknown } = new Error('loop');
    own.cause = own;
    expect(lines(format, (log) => log.warn({ err: own }, 'm')).match(/loop/g)!.length).toBeLessThan(20);
  });

  test('keeps one event on one line, without control characters', () => {
    const text = lines(format, (log) => log.info({ path: 'a\nb\u001b[31m' }, 'two\nlines\u009b'));
    expect(text.trimEnd().split('\n')).toHaveLength(1);
    expect(text).not.toContain('\u001b');
  });
});

test('the text log shows an error of this project without its stack', () => {
  const cause = Object.assign(new Error('no socket'), { code: 'ECONNREFUSED' });
  const error = Object.assign(new Error('The source is away.', { cause }), { code: 'source_unreachable' });
  expect(lines('text', (log) => log.warn({ err: error, attempt: 2 }, 'will be repeated'))).toMatch(
    /will be repeated err=The source is away\. \(source_unreachable\) caused by no socket \(ECONNREFUSED\) attempt=2\n$/,
  );
  const stack = /log\.test\.ts/;
  expect(lines('text', (log) => log.warn({ err: cause }, 'm'))).toMatch(stack);
  expect(lines('text', (log) => log.error({ err: new Error('internal') }, 'm'))).toMatch(stack);
  expect(lines('json', (log) => log.warn({ err: error }, 'm'))).toMatch(stack);
});
