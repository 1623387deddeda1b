import { expect, test } from 'vitest';
import { BlobStoreError } from './blob/error.ts';
import { isDatabaseRestart, outageOf } from './outage.ts';
import { ChildError } from './sandbox/child.ts';

const withCode = (code: string, more = {}) => Object.assign(new Error('x'), { code, ...more });

test.each([
  ['storage_full', withCode('ENOSPC', { syscall: 'write' })],
  ['storage_full', withCode('53100')],
  ['storage_full', new ChildError('crashed', 'ended', 'Error: ENOSPC: no space left on device, write')],
  ['storage_unavailable', withCode('EROFS')],
  ['storage_unavailable', new BlobStoreError('unreachable', 'https://s3.internal does not respond')],
  ['renderer_killed', new ChildError('killed', 'ended by SIGKILL', '')],
  ['database_unavailable', withCode('25006')],
  ['database_unavailable', withCode('57P01')],
  ['database_unavailable', new Error('Client has encountered a connection error and is not queryable')],
  ['database_unavailable', new Error('outer', { cause: new Error('inner', { cause: withCode('08006') }) })],
])('%s is recognized', (code, error) => {
  expect(outageOf(error)?.code).toBe(code);
});

test.each([
  withCode('ENOENT', { syscall: 'open' }),
  withCode('23505'),
  new Error('column "a" does not exist'),
  new ChildError('memory-limit', 'needs more memory', ''),
  'ENOSPC',
])('an error of the program or of the input is not an outage: %s', (error) => {
  expect(outageOf(error)).toBeNull();
});

test('an error that names itself as its cause ends the search', () => {
  const error = new Error('x');
  error.cause = error;
  expect(outageOf(error)).toBeNull();
});

test('a restart of the database is not confused with an outage of another service', () => {
  const coded = (values: object) => Object.assign(new Error('x'), values);
  const restarts = [
    coded({ code: '57P01' }),
    coded({ code: '57P03' }),
    coded({ code: '08006' }),
    new Error('Connection terminated unexpectedly'),
    coded({ code: 'EPIPE', syscall: 'write', isDatabase: true }),
    new Error('cannot store', { cause: coded({ code: '57P02' }) }),
  ];
  for (const error of restarts) expect(isDatabaseRestart(error)).toBe(true);
  const others = [
    coded({ code: 'ECONNREFUSED', syscall: 'connect', address: '192.0.2.1', port: 443 }),
    coded({ code: 'EPIPE', syscall: 'write' }),
    coded({ code: '53100' }),
    coded({ code: '40001' }),
    new Error('always'),
    '57P01',
  ];
  for (const error of others) expect(isDatabaseRestart(error)).toBe(false);
});
