import { createHash, randomBytes } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type PlannedTrouble, type S3Double, startS3Double } from '../../../../../test/support/s3/double.ts';
import { findRealStore } from '../../../../../test/support/s3/real.ts';
import { systemClock } from '../clock.ts';
import { describeBlobStore } from './contract.suite.ts';
import { BlobStoreError } from './error.ts';
import { openS3BlobStore, type S3BlobOptions, type S3BlobStore } from './s3.ts';
import type { BlobInfo, BlobStore } from './store.ts';

const MIB = 1_048_576;

let double: S3Double;
const opened: S3BlobStore[] = [];

const common = {
  publicEndpoint: null,
  prefix: 'offprint/',
  forcePathStyle: true,
  checksums: 'when-required',
  caFile: null,
  now: systemClock,
  pageSize: 2,
} as const;

const addressOf = (store: S3Double) => ({
  bucket: store.bucket,
  region: store.region,
  endpoint: store.url,
  credentials: store.identity,
});

function openStore(change: Partial<S3BlobOptions> = {}): S3BlobStore {
  const store = openS3BlobStore({ ...common, ...addressOf(double), ...change });
  opened.push(store);
  return store;
}

async function collect(blobs: AsyncIterable<BlobInfo>): Promise<BlobInfo[]> {
  const found: BlobInfo[] = [];
  for await (const blob of blobs) found.push(blob);
  return found;
}

beforeAll(async () => {
  double = await startS3Double();
});
afterEach(() => {
  for (const store of opened.splice(0)) store.close();
  // Nothing but the protocol, whatever was tried.
  expect(double.violations).toEqual([]);
  double.planned = [];
  double.seen = [];
  double.clockOffsetMs = 0;
  double.identities = [double.identity];
  double.store.objects.clear();
  double.store.uploads.clear();
});
afterAll(() => double.close());

describeBlobStore('S3', async () => {
  const own = await startS3Double();
  const store = openS3BlobStore({ ...common, ...addressOf(own) });
  return {
    store,
    async close() {
      store.close();
      expect(own.violations).toEqual([]);
      await own.close();
    },
  };
});

const real = findRealStore();
if (real !== null) {
  describeBlobStore(`S3 at ${new URL(real.endpoint).host}`, async () => {
    const prefix = `test-${randomBytes(6).toString('hex')}/`;
    const store = openS3BlobStore({ ...common, ...real, prefix });
    return {
      store,
      async close() {
        for await (const { key } of store.list('')) await store.delete(key);
        store.close();
      },
    };
  });
}

/** Bytes that differ everywhere, in pieces of 64 kB. */
function pieces(bytes: Buffer, until = Number.POSITIVE_INFINITY): Readable {
  return Readable.from(
    (async function* () {
      for (let at = 0; at < bytes.length; at += 65_536) {
        if (at >= until) throw new Error('source broke');
        yield bytes.subarray(at, at + 65_536);
      }
    })(),
    { objectMode: false },
  );
}

const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const names = (): string[] => double.seen.map(({ operation }) => operation);

async function faultOf(call: Promise<unknown>): Promise<BlobStoreError> {
  const error = await call.then(
    () => null,
    (caught: unknown) => caught,
  );
  expect(error).toBeInstanceOf(BlobStoreError);
  return error as BlobStoreError;
}

const LARGE = randomBytes(17 * MIB + 17);

describe('streams of unknown length', () => {
  test('are sent in parts, read back whole, and leave no upload open', async () => {
    const store = openStore();
    expect(await store.put('big/one', pieces(LARGE))).toEqual({ key: 'big/one', bytes: LARGE.length });
    expect(names().sort()).toEqual([
      'CompleteMultipartUpload',
      'CreateMultipartUpload',
      'UploadPart',
      'UploadPart',
      'UploadPart',
    ]);
    expect(digest(await buffer((await store.get('big/one'))!))).toBe(digest(LARGE));
    expect(double.store.uploads.size).toBe(0);
  });

  test('of less than a part are one request', async () => {
    await openStore().put('small/one', pieces(LARGE.subarray(0, MIB)));
    expect(names()).toEqual(['PutObject']);
  });

  test('that break after some parts are taken back, and the old object stays', async () => {
    const store = openStore();
    await store.put('big/old', Buffer.from('old'));
    await expect(store.put('big/old', pieces(LARGE, 16 * MIB + 65_536))).rejects.toThrow('source broke');
    expect(names()).toContain('AbortMultipartUpload');
    expect(double.store.uploads.size).toBe(0);
    expect((await buffer((await store.get('big/old'))!)).toString()).toBe('old');
  });

  test('that the store refuses in the middle end the source too', async () => {
    double.planned = [{ operation: 'UploadPart', trouble: 'AccessDenied', times: 99, after: 1 }];
    const source = pieces(LARGE);
    expect((await faultOf(openStore().put('big/refused', source))).fault).toBe('denied');
    expect(source.destroyed).toBe(true);
    expect([double.store.uploads.size, double.store.objects.size]).toEqual([0, 0]);
  });

  test('carry checksums where they are wanted', async () => {
    const store = openStore({ checksums: 'when-supported' });
    await store.put('sum/bytes', Buffer.from('bytes'));
    await store.put('sum/stream', pieces(LARGE));
    expect(digest(await buffer((await store.get('sum/stream'))!))).toBe(digest(LARGE));
  });
});

describe('parts of puts that were cut off', () => {
  test('are removed by their age, on all pages, and only below the prefix', async () => {
    const store = openStore();
    const begin = (key: string, hours: number) => {
      const initiated = new Date(Date.now() - hours * 3_600_000);
      double.store.uploads.set(randomBytes(8).toString('hex'), {
        key,
        initiated,
        headers: {},
        parts: new Map(),
      });
    };
    for (let upload = 0; upload < 5; upload++) begin('offprint/bundles/one', 30);
    begin('offprint/bundles/two', 30);
    begin('offprint/bundles/young', 1);
    begin('elsewhere/bundles/one', 30);
    expect(await store.removeUnfinished(new Date(Date.now() - 24 * 3_600_000))).toBe(6);
    expect([...double.store.uploads.values()].map(({ key }) => key).sort()).toEqual([
      'elsewhere/bundles/one',
      'offprint/bundles/young',
    ]);
  });
});

describe('a store that lies', () => {
  const xml = (name: string, body: string) => `<?xml version="1.0"?><${name}>${body}</${name}>`;
  const lying = async (answer: (request: IncomingMessage, response: ServerResponse) => void) => {
    const server = createServer(answer);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const store = openStore({ endpoint: `http://127.0.0.1:${port}` });
    return {
      store,
      end() {
        server.close();
        server.closeAllConnections();
      },
    };
  };

  test('about the next page does not make a list endless', async () => {
    const { store, end } = await lying(({ url = '' }, response) => {
      response.setHeader('content-type', 'application/xml');
      response.end(
        url.includes('uploads')
          ? xml(
              'ListMultipartUploadsResult',
              '<IsTruncated>true</IsTruncated><NextKeyMarker>a</NextKeyMarker><NextUploadIdMarker>b</NextUploadIdMarker>',
            )
          : xml(
              'ListBucketResult',
              '<IsTruncated>true</IsTruncated><NextContinuationToken>a</NextContinuationToken>',
            ),
      );
    });
    expect((await faultOf(collect(store.list('')))).message).toContain('links to itself as the next page');
    expect((await faultOf(store.removeUnfinished(new Date()))).message).toContain(
      'links to itself as the next page',
    );
    end();
  });

  test('about the rest of an object that was cut off gives no other bytes', async () => {
    const { store, end } = await lying((_, response) => {
      // always the beginning, and never all of it
      response.writeHead(200, { 'content-length': '10', etag: '"one"' });
      response.write('01234', () => response.destroy());
    });
    const got: Buffer[] = [];
    const stream = (await store.get('lies/one'))!;
    const fault = await faultOf(
      (async () => {
        for await (const piece of stream) got.push(piece as Buffer);
      })(),
    );
    expect(fault.message).toContain('another range');
    expect(Buffer.concat(got).toString()).toBe('01234');
    end();
  });
});

describe('troubles of the store and the way to it', () => {
  const content = randomBytes(300_000);
  const STREAM = LARGE.subarray(0, 9 * MIB);
  const calls: Record<string, (store: BlobStore) => Promise<unknown>> = {
    PutObject: (store) => store.put('t/bytes', content),
    GetObject: async (store) => buffer((await store.get('t/there'))!),
    HeadObject: (store) => store.stat('t/there'),
    DeleteObject: (store) => store.delete('t/gone'),
    ListObjectsV2: (store) => collect(store.list('t/')),
    CreateMultipartUpload: (store) => store.put('t/stream', pieces(STREAM)),
    UploadPart: (store) => store.put('t/stream', pieces(STREAM)),
    CompleteMultipartUpload: (store) => store.put('t/stream', pieces(STREAM)),
    ListMultipartUploads: (store) => store.removeUnfinished(new Date(0)),
  };
  const everywhere = ['InternalError', 'SlowDown', 'dropped', 'answer lost'] as const;
  const cases = Object.keys(calls).flatMap((operation) => [
    ...everywhere.map((trouble) => ({ operation, trouble })),
    ...(/^(?:Get|List|Create|Complete)/.test(operation) ? [{ operation, trouble: 'answer cut' }] : []),
    ...(operation === 'CompleteMultipartUpload' ? [{ operation, trouble: 'error in the answer' }] : []),
  ]) as PlannedTrouble[];

  test.each(cases)('$operation: $trouble, once, changes nothing for the caller', async (planned) => {
    const store = openStore({ pageSize: 1000 });
    await store.put('t/there', content);
    await store.put('t/gone', content);
    double.planned = [{ ...planned, times: 1 }];
    const result = await calls[planned.operation]!(store);
    expect(double.planned[0]!.times).toBe(0);
    if (planned.operation === 'GetObject') expect(digest(result as Buffer)).toBe(digest(content));
    if (planned.operation === 'ListObjectsV2') expect(result).toHaveLength(2);
    const stored =
      double.store.objects.get('offprint/t/stream') ?? double.store.objects.get('offprint/t/bytes');
    if (stored !== undefined) {
      expect(digest(stored.bytes)).toBe(digest(stored.bytes.length === STREAM.length ? STREAM : content));
    }
    expect(double.store.objects.has('offprint/t/gone')).toBe(planned.operation !== 'DeleteObject');
  });

  test('reading resumes where the connection was cut, again and again', async () => {
    const store = openStore();
    await store.put('t/there', content);
    double.planned = [{ operation: 'GetObject', trouble: 'answer cut', times: 6 }];
    expect(digest(await buffer((await store.get('t/there'))!))).toBe(digest(content));
    double.planned = [{ operation: 'GetObject', trouble: 'answer cut', times: 3 }];
    const part = await buffer((await store.get('t/there', { start: 7, end: 200_000 }))!);
    expect(part.equals(content.subarray(7, 200_001))).toBe(true);
  });

  test('an object that is replaced while it is read is never mixed', async () => {
    const store = openStore();
    await store.put('t/there', content);
    double.planned = [{ operation: 'GetObject', trouble: 'answer cut', times: 1 }];
    const stream = (await store.get('t/there'))!;
    await store.put('t/there', randomBytes(content.length));
    expect((await faultOf(buffer(stream))).fault).toBe('refused');
  });

  test('what is opened and not read holds no connection once it is let go', async () => {
    const store = openStore({ idleMs: 60_000 });
    const object = { bytes: LARGE, etag: '"x"', modified: new Date(0), headers: {} };
    double.store.objects.set('offprint/t/large', object);
    for (let open = 0; open < 100; open++) (await store.get('t/large'))!.destroy();
    expect(await store.stat('t/large')).toMatchObject({ bytes: LARGE.length });
  });

  test('bytes that changed on the way are refused, not stored', async () => {
    double.planned = [{ operation: 'PutObject', trouble: 'body changed', times: 99 }];
    expect((await faultOf(openStore().put('t/bytes', content))).message).toContain(
      'XAmzContentSHA256Mismatch',
    );
    double.planned = [{ operation: 'UploadPart', trouble: 'body changed', times: 99 }];
    await faultOf(openStore().put('t/stream', pieces(LARGE)));
    expect([double.store.uploads.size, double.store.objects.size]).toEqual([0, 0]);
  });

  test('a store that stops responding is abandoned and reported as unreachable', async () => {
    double.planned = [{ operation: 'HeadObject', trouble: 'silence', times: 99 }];
    const fault = await faultOf(openStore({ idleMs: 50 }).stat('t/there'));
    expect(fault.fault).toBe('unreachable');
  });

  test('a lasting error is reported after some tries', async () => {
    double.planned = [{ operation: 'HeadObject', trouble: 'InternalError', times: 99 }];
    expect((await faultOf(openStore().stat('t/there'))).fault).toBe('busy');
    expect(double.seen.length).toBeGreaterThan(2);
  });
});

describe('errors name their cause and the solution, and contain no secret', () => {
  const secrets = () => [double.identity.secretAccessKey, 'Signature=', 'X-Amz-', 'Credential'];
  const told = async (change: Partial<S3BlobOptions>) => {
    const fault = await faultOf(openStore(change).check());
    for (const secret of secrets()) expect(fault.message).not.toContain(secret);
    expect(fault.message).toContain(new URL(change.endpoint ?? double.url).host);
    return fault;
  };

  test('no bucket, wrong key, wrong secret, wrong region', async () => {
    expect(await told({ bucket: 'not-there' })).toMatchObject({ fault: 'no-bucket' });
    const other = { ...double.identity, accessKeyId: 'AKUNKNOWN' };
    expect(await told({ credentials: other })).toMatchObject({ fault: 'credentials' });
    const wrong = { ...double.identity, secretAccessKey: 'wrong' };
    expect(await told({ credentials: wrong })).toMatchObject({ fault: 'credentials' });
    expect(await told({ region: 'us-other-1' })).toMatchObject({ fault: 'wrong-region' });
  });

  test('nobody there', async () => {
    const gone = await startS3Double();
    await gone.close();
    const fault = await told({ endpoint: gone.url });
    expect(fault).toMatchObject({ fault: 'unreachable' });
    expect(fault.message).toContain('ECONNREFUSED');
  });

  test('no right: reading works, writing and deleting say why not', async () => {
    double.identities = [{ ...double.identity, readOnly: true }];
    const store = openStore();
    await store.check();
    expect(await store.stat('a/b')).toBeNull();
    expect((await faultOf(store.put('a/b', Buffer.from('x')))).message).toMatch(
      /not allowed.*AccessDenied, status 403/s,
    );
    expect((await faultOf(store.delete('a/b'))).fault).toBe('denied');
  });

  test('a missing bucket is never taken for a missing object', async () => {
    const store = openStore({ bucket: 'not-there' });
    const calls = [
      () => store.get('a/b'),
      () => store.put('a/b', Buffer.from('x')),
      () => store.delete('a/b'),
      () => collect(store.list('')),
      () => store.removeUnfinished(new Date()),
    ];
    for (const call of calls) {
      expect((await faultOf(call())).fault).toBe('no-bucket');
    }
  });

  test('expired credentials', async () => {
    const session = { token: 'a session token', endsAt: new Date(Date.now() - 1_000) };
    double.identities = [{ ...double.identity, session }];
    const credentials = { ...double.identity, sessionToken: session.token };
    expect(await told({ credentials })).toMatchObject({ fault: 'credentials' });
  });
});

test('with an endpoint and keys nobody but the store is spoken to', async () => {
  const addresses = new Set<string>();
  const listen = (message: unknown) => {
    const { socket } = message as { socket: Socket };
    socket.once('connect', () => addresses.add(`${socket.remoteAddress}:${socket.remotePort}`));
    socket.once('lookup', (_error, address) => addresses.add(address));
  };
  subscribe('net.client.socket', listen);
  const store = openStore();
  await store.check();
  await store.put('a/b', Buffer.from('x'));
  await store.put('a/c', pieces(LARGE));
  await collect(store.list(''));
  await store.signUrl('a/b', { expiresIn: 60, fileName: 'b' });
  unsubscribe('net.client.socket', listen);
  expect([...addresses]).toEqual([new URL(double.url).host]);
});

describe('clocks that differ by an hour', () => {
  test.each([-3_600_000, 3_600_000])(
    'by %i ms: calls work, and links end by the clock of the store',
    async (ms) => {
      double.clockOffsetMs = ms;
      const store = openStore();
      await store.put('clock/one', Buffer.from('x'));
      const { url, expiresAt } = await store.signUrl('clock/one', { expiresIn: 600, fileName: 'one' });
      expect((await fetch(url)).status).toBe(200);
      double.clockOffsetMs = expiresAt.getTime() - Date.now() - 5_000;
      expect((await fetch(url)).status).toBe(200);
      double.clockOffsetMs = expiresAt.getTime() - Date.now() + 1_000;
      expect((await fetch(url)).status).toBe(403);
    },
  );
});

describe('links', () => {
  test('last a week at most and take no name that breaks a header', async () => {
    const store = openStore({ now: () => new Date('2026-01-01T00:00:00.900Z') });
    const { url, expiresAt } = await store.signUrl('a/b', { expiresIn: 10_000_000, fileName: 'b' });
    expect(expiresAt.toISOString()).toBe('2026-01-08T00:00:00.000Z');
    expect(new URL(url).searchParams.get('X-Amz-Expires')).toBe('604800');
    for (const fileName of ['', '.x', 'a b', 'a"b', 'a\r\nb', 'a/b']) {
      await expect(store.signUrl('a/b', { expiresIn: 60, fileName })).rejects.toThrow('Not a file name');
    }
  });

  test('name the address for clients, in the path or in the host, and are signed for it', async () => {
    const port = new URL(double.url).port;
    const link = async (change: Partial<S3BlobOptions>) =>
      (await openStore(change).signUrl('a/b', { expiresIn: 60, fileName: 'b' })).url;
    await openStore().put('a/b', Buffer.from('x'));
    // Another name of this machine: the signature covers it.
    const url = await link({ publicEndpoint: `http://localhost:${port}` });
    expect(url).toContain(`http://localhost:${port}/${double.bucket}/offprint/a/b?`);
    expect((await fetch(url)).status).toBe(200);
    expect((await fetch(url.replace('localhost', '127.0.0.1'))).status).toBe(403);
    const aws = { endpoint: null, region: 'eu-central-1', forcePathStyle: false };
    expect(await link(aws)).toMatch(
      /^https:\/\/offprint-test\.s3\.eu-central-1\.amazonaws\.com\/offprint\/a\/b\?/,
    );
    expect(await link({ ...aws, publicEndpoint: 'https://files.example.com' })).toMatch(
      /^https:\/\/offprint-test\.files\.example\.com\/offprint\/a\/b\?/,
    );
  });

  test('of temporary credentials end with them, after fresh ones were asked for', async () => {
    const make = (minutes: number) => ({
      ...double.identity,
      sessionToken: `token of ${minutes} minutes`,
      expiration: new Date(Date.now() + minutes * 60_000),
    });
    let asked = 0;
    const lives = [10, 20];
    const credentials = async () => {
      const made = make(lives[Math.min(asked++, 1)]!);
      double.identities = [
        { ...double.identity, session: { token: made.sessionToken, endsAt: made.expiration } },
      ];
      return made;
    };
    const store = openStore({ credentials });
    await store.put('a/b', Buffer.from('x'));
    const { url, expiresAt } = await store.signUrl('a/b', { expiresIn: 3600, fileName: 'b' });
    expect(asked).toBe(2);
    const minutes = (expiresAt.getTime() - Date.now()) / 60_000;
    expect(minutes).toBeGreaterThan(18);
    expect(minutes).toBeLessThanOrEqual(20);
    expect(new URL(url).searchParams.get('X-Amz-Security-Token')).toBe('token of 20 minutes');
    expect((await fetch(url)).status).toBe(200);
    // Not at every link.
    await store.signUrl('a/b', { expiresIn: 3600, fileName: 'b' });
    expect(asked).toBe(2);
    const short = await store.signUrl('a/b', { expiresIn: 60, fileName: 'b' });
    expect(short.expiresAt.getTime()).toBeLessThanOrEqual(Date.now() + 60_000);
  });
});

describe('a bucket that holds other things too', () => {
  test('shows what is below the prefix, without folder marks and strange names', async () => {
    const store = openStore();
    const put = (name: string) =>
      double.store.objects.set(name, {
        bytes: Buffer.from('x'),
        etag: '"x"',
        modified: new Date(0),
        headers: {},
      });
    for (const name of [
      'other/a',
      'offprint/',
      'offprint/a/',
      'offprint/ä',
      'offprint/a b',
      'offprintx/c',
      '.hidden',
    ]) {
      put(name);
    }
    await store.put('a/one', Buffer.from('1'));
    expect((await collect(store.list(''))).map(({ key }) => key)).toEqual(['a/one']);
    const bare = openStore({ prefix: '' });
    expect(await bare.stat('offprint/a/one')).toMatchObject({ bytes: 1 });
    expect((await collect(bare.list('offprint/a/'))).map(({ key }) => key)).toEqual(['offprint/a/one']);
  });

  test('a list of 1,000 keys in pages of any size is whole and in order', async () => {
    const keys = Array.from({ length: 1_000 }, (_, index) => `k/${((index * 7919) % 1000).toString(36)}`);
    for (const key of keys) {
      const object = { bytes: Buffer.alloc(1), etag: '"x"', modified: new Date(0), headers: {} };
      double.store.objects.set(`offprint/${key}`, object);
    }
    for (const pageSize of [97, 999, 1000]) {
      const listed = await collect(openStore({ pageSize }).list('k/'));
      expect(listed.map(({ key }) => key)).toEqual([...keys].sort());
    }
  });
});
