import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { startSiteServer } from '../src/serving/server.ts';
import { talk } from './support/reader.ts';

it('closes an unused connection without a response, and one with half a request with 408', async () => {
  const site = await startSiteServer({ host: '127.0.0.1', port: 0, basePath: '', https: false });
  const [unused, half] = [connect(site.port, '127.0.0.1'), talk(site.port, 'GET / HT')];
  let received = '';
  unused.on('data', (piece: Buffer) => {
    received += piece.toString();
  });
  await Promise.all([once(unused, 'close'), half]);
  expect(received).toBe('');
  expect(await half).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
  expect(site.traffic.snapshot().broken.find(({ status }) => status === '408')?.count).toBe(1);
  await site.stop();
});
