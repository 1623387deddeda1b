import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import {
  AbortMultipartUploadCommand,
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  type GetObjectCommandOutput,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { Clock } from '../clock.ts';
import { BlobStoreError } from './error.ts';
import { isKey, requireFileName, requireKey } from './key.ts';
import { explain, isNamed, statusOf } from './s3-fault.ts';
import { type BlobInfo, type BlobStore, LINK_MAX_SECONDS } from './store.ts';

export interface S3BlobOptions {
  bucket: string;
  region: string;
  /** Address of the store; null = the one of AWS for the region. */
  endpoint: string | null;
  /** Address of the store in links; null = the same. */
  publicEndpoint: string | null;
  /** Null: from the environment of the process as the SDK finds them, such as the role of an instance or a pod. */
  credentials: NonNullable<S3ClientConfig['credentials']> | null;
  /** Beginning of every key in the bucket: empty, or with a slash at its end. */
  prefix: string;
  /** `host/bucket/key` instead of `bucket.host/key`. */
  forcePathStyle: boolean;
  /** Whether requests carry checksums wherever there can be one; many stores other than AWS do not know them. */
  checksums: 'when-required' | 'when-supported';
  /** PEM file of the authorities that the endpoint is checked against; null = those of the system. */
  caFile: string | null;
  now: Clock;
  /** Keys that are asked for at a time. */
  pageSize?: number;
  /** Milliseconds without a byte either way after which a connection is dead. */
  idleMs?: number;
}

export interface S3BlobStore extends BlobStore {
  /** Closes the connections. */
  close(): void;
}

const MIB = 1_048_576;
/**
 * An upload of unknown length keeps this number of parts in memory; with at most 10,000 parts an object has
 * up to 80 GiB.
 */
const PART_BYTES = 8 * MIB;
const PARTS_AT_A_TIME = 3;

const MAX_ATTEMPTS = 5;
const CONNECT_MS = 5_000;
const IDLE_MS = 60_000;
/** Readiness waits for 3 seconds. */
const CHECK_MS = 2_500;
const CONNECTIONS = 64;

/** Times that reading resumes after a cut without a byte in between. */
const RESUMES = 4;

/** Credentials that end before a link are asked for again at most so often. */
const REFRESH_MS = 60_000;
/** Less is the rounding of the header that the clock of the store is read from. */
const SKEW_MS = 2_000;

/**
 * Objects in a bucket of S3 or a store that speaks its protocol. An object appears whole or not at all: bytes are put in
 * one request, streams in parts that the store joins at the end. Throws BlobStoreError for what the store refuses.
 */
export function openS3BlobStore(options: S3BlobOptions): S3BlobStore {
  const { bucket: Bucket, prefix } = options;
  const client = new S3Client(clientConfig(options, options.endpoint, options.credentials));
  // The same credentials, got once for both.
  const linkClient =
    options.publicEndpoint === null
      ? client
      : new S3Client(clientConfig(options, options.publicEndpoint, client.config.credentials));
  const host = hostOf(options.endpoint ?? `https://s3.${options.region}.amazonaws.com`);
  const place = { bucket: Bucket, host };
  let refreshedAt = 0;

  const nameOf = (key: string): string => {
    requireKey(key);
    return prefix + key;
  };

  /** The result of the call; its errors are translated. */
  async function explainErrors<Value>(call: Promise<Value>): Promise<Value> {
    try {
      return await call;
    } catch (error) {
      throw explain(error, place);
    }
  }

  async function head(name: string) {
    try {
      return await client.send(new HeadObjectCommand({ Bucket, Key: name }));
    } catch (error) {
      if (statusOf(error) === 404) return null;
      throw explain(error, place);
    }
  }

  /** The response for an object or a part of it; null if it does not exist. */
  async function open(name: string, range: string | undefined, etag?: string) {
    try {
      const given = { Bucket, Key: name, Range: range, IfMatch: etag };
      return await client.send(new GetObjectCommand(given));
    } catch (error) {
      if (isNamed(error, 'NoSuchKey')) return null;
      if (statusOf(error) === 416) throw new RangeError(`${name} has no range ${range} in the store`);
      throw explain(error, place);
    }
  }

  /** Stores a stream of any length; returns its size. Nothing stays when the stream or the store fails. */
  async function upload(name: string, content: Readable): Promise<number> {
    let bytes = 0;
    let broken: { error: unknown } | null = null;
    async function* counted() {
      try {
        for await (const piece of content) {
          bytes += piece.length;
          yield piece as Buffer;
        }
      } catch (error) {
        broken = { error };
        throw error;
      }
    }
    // Distinguishes this put from every other one of the key.
    const put = randomBytes(16).toString('hex');
    const body = Readable.from(counted(), { objectMode: false });
    try {
      await new Upload({
        client,
        params: { Bucket, Key: name, Body: body, Metadata: { put } },
        partSize: PART_BYTES,
        queueSize: PARTS_AT_A_TIME,
      }).done();
      return bytes;
    } catch (error) {
      if (broken !== null) throw (broken as { error: unknown }).error;
      // The parts were joined, but the response was lost and the request repeated.
      if (isNamed(error, 'NoSuchUpload') && (await head(name))?.Metadata?.put === put) return bytes;
      throw explain(error, place);
    } finally {
      body.destroy();
      content.destroy();
    }
  }

  /** The bytes of a response; where the connection is cut, the rest of the same object is requested. */
  async function* resume(name: string, first: GetObjectCommandOutput, span: Span) {
    let answer = first;
    let { at } = span;
    let failures = 0;
    for (;;) {
      const body = answer.Body as Readable;
      try {
        for await (const piece of body) {
          at += piece.length;
          failures = 0;
          yield piece as Buffer;
        }
        if (at === span.end) return;
        throw Object.assign(new Error('the response was cut off'), { code: 'ECUT' });
      } catch (error) {
        failures += 1;
        if (failures > RESUMES) throw explain(error, place);
      } finally {
        body.destroy();
      }
      const next = await open(name, `bytes=${at}-${span.end - 1}`, first.ETag);
      if (next === null)
        throw new BlobStoreError('refused', `The object ${name} was deleted during reading.`);
      if (next.ContentRange?.startsWith(`bytes ${at}-`) !== true) {
        (next.Body as Readable).destroy();
        throw new BlobStoreError(
          'refused',
          `${host} returned another range of ${name} than the requested one.`,
        );
      }
      answer = next;
    }
  }

  /** A list that leads back to its own start would be read without end. */
  const goesRound = () =>
    new BlobStoreError('refused', `${host} returned a page of a list that links to itself as the next page.`);

  async function linkCredentials(until: Date) {
    const known = await explainErrors(client.config.credentials());
    const ends = known.expiration;
    if (ends === undefined || ends >= until || Date.now() - refreshedAt < REFRESH_MS) return known;
    refreshedAt = Date.now();
    return explainErrors(client.config.credentials({ forceRefresh: true }));
  }

  return {
    async put(key, content) {
      const name = nameOf(key);
      if (content instanceof Readable) return { key, bytes: await upload(name, content) };
      await explainErrors(client.send(new PutObjectCommand({ Bucket, Key: name, Body: content })));
      return { key, bytes: content.byteLength };
    },

    async copy(from, to) {
      const CopySource = encodeURI(`${Bucket}/${nameOf(from)}`);
      try {
        await client.send(new CopyObjectCommand({ Bucket, Key: nameOf(to), CopySource }));
        return true;
      } catch (error) {
        if (isNamed(error, 'NoSuchKey')) return false;
        throw explain(error, place);
      }
    },

    async get(key, range) {
      const name = nameOf(key);
      if (range && (range.start < 0 || range.end < range.start)) throw outside(key, range);
      const first = await open(name, range && `bytes=${range.start}-${range.end}`).catch((error) => {
        throw range && error instanceof RangeError ? outside(key, range) : error;
      });
      if (first === null) return null;
      const body = first.Body as Readable;
      const bytes = first.ContentLength ?? 0;
      if (range && bytes !== range.end - range.start + 1) {
        body.destroy();
        throw outside(key, range);
      }
      const at = range?.start ?? 0;
      const stream = Readable.from(resume(name, first, { at, end: at + bytes }), { objectMode: false });
      // Also if nobody has started to read.
      stream.once('close', () => body.destroy());
      return stream;
    },

    async stat(key) {
      const found = await head(nameOf(key));
      return found === null ? null : infoOf(key, found.ContentLength, found.LastModified);
    },

    async delete(key) {
      const name = nameOf(key);
      try {
        await client.send(new DeleteObjectCommand({ Bucket, Key: name }));
      } catch (error) {
        if (!isNamed(error, 'NoSuchKey')) throw explain(error, place);
      }
    },

    async *list(below) {
      let token: string | undefined;
      let last = '';
      do {
        const asked = { Bucket, Prefix: prefix + below, MaxKeys: options.pageSize, ContinuationToken: token };
        const page = await explainErrors(client.send(new ListObjectsV2Command(asked)));
        for (const { Key = '', Size, LastModified } of page.Contents ?? []) {
          const key = Key.slice(prefix.length);
          // Consoles make objects for folders.
          if (!isKey(key)) continue;
          if (key <= last) {
            throw new BlobStoreError('refused', `${host} lists ${last} before ${key}: not in byte order.`);
          }
          last = key;
          yield infoOf(key, Size, LastModified);
        }
        const next = page.IsTruncated === true ? page.NextContinuationToken : undefined;
        if (next !== undefined && next === token) throw goesRound();
        token = next;
      } while (token !== undefined);
    },

    async signUrl(key, { expiresIn, fileName }) {
      const name = nameOf(key);
      requireFileName(fileName);
      const asked = Math.min(Math.max(1, Math.floor(expiresIn)), LINK_MAX_SECONDS);
      // By the clock of the store, which is the one that ends the link.
      const skew = client.config.systemClockOffset;
      const now = options.now().getTime() + (Math.abs(skew) < SKEW_MS ? 0 : skew);
      const signingDate = new Date(Math.floor(now / 1000) * 1000);
      const { expiration } = await linkCredentials(new Date(signingDate.getTime() + asked * 1000));
      const left = expiration === undefined ? asked : Math.floor((expiration.getTime() - now) / 1000);
      const seconds = Math.min(asked, left);
      if (seconds < 1) throw new BlobStoreError('credentials', `The credentials for ${host} have expired.`);
      const command = new GetObjectCommand({
        Bucket,
        Key: name,
        ResponseContentDisposition: `attachment; filename="${fileName}"`,
        ResponseContentType: fileName.endsWith('.gz') ? 'application/gzip' : 'application/octet-stream',
      });
      const url = await explainErrors(getSignedUrl(linkClient, command, { expiresIn: seconds, signingDate }));
      return { url, expiresAt: new Date(signingDate.getTime() + seconds * 1000) };
    },

    async removeUnfinished(before) {
      let removed = 0;
      let markers: UploadMarkers | null = {};
      while (markers !== null) {
        const asked = { Bucket, Prefix: prefix, MaxUploads: options.pageSize, ...markers };
        const page: ListMultipartUploadsCommandOutput = await explainErrors(
          client.send(new ListMultipartUploadsCommand(asked)),
        );
        for (const { Key = '', UploadId, Initiated } of page.Uploads ?? []) {
          if (Initiated === undefined || Initiated >= before || !isKey(Key.slice(prefix.length))) continue;
          try {
            await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
            removed += 1;
          } catch (error) {
            if (!isNamed(error, 'NoSuchUpload')) throw explain(error, place);
          }
        }
        const next = nextMarkers(page);
        if (next !== null && isDeepStrictEqual(next, markers)) throw goesRound();
        markers = next;
      }
      return removed;
    },

    async check() {
      const asked = new ListObjectsV2Command({ Bucket, Prefix: prefix, MaxKeys: 1 });
      await explainErrors(client.send(asked, { abortSignal: AbortSignal.timeout(CHECK_MS) }));
    },

    close() {
      client.destroy();
      linkClient.destroy();
    },
  };
}

/** Where a page of the list of unfinished uploads starts. */
interface UploadMarkers {
  KeyMarker?: string | undefined;
  UploadIdMarker?: string | undefined;
}

/** Null: it was the last page. */
function nextMarkers(page: ListMultipartUploadsCommandOutput): UploadMarkers | null {
  const { NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker } = page;
  return page.IsTruncated === true && KeyMarker !== undefined ? { KeyMarker, UploadIdMarker } : null;
}

/** Offsets in the object: of the next byte, and behind the last one wanted. */
interface Span {
  at: number;
  end: number;
}

function clientConfig(
  options: S3BlobOptions,
  endpoint: string | null,
  credentials: S3BlobOptions['credentials'],
): S3ClientConfig {
  const checksums = options.checksums === 'when-supported' ? 'WHEN_SUPPORTED' : 'WHEN_REQUIRED';
  const agent = { keepAlive: true, maxSockets: CONNECTIONS };
  const ca = options.caFile === null || endpoint === null ? {} : { ca: readFileSync(options.caFile, 'utf8') };
  return {
    region: options.region,
    ...(endpoint === null ? {} : { endpoint }),
    ...(credentials === null ? {} : { credentials }),
    forcePathStyle: options.forcePathStyle,
    requestChecksumCalculation: checksums,
    responseChecksumValidation: checksums,
    followRegionRedirects: false,
    disableS3ExpressSessionAuth: true,
    // Such a request gets a connection of its own.
    expectContinueHeader: false,
    maxAttempts: MAX_ATTEMPTS,
    retryMode: 'standard',
    requestHandler: {
      connectionTimeout: CONNECT_MS,
      socketTimeout: options.idleMs ?? IDLE_MS,
      httpAgent: agent,
      httpsAgent: { ...agent, ...ca },
      logger: SILENT,
    },
    logger: SILENT,
  };
}

const SILENT = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };

/** Lists contain fractions of a second, responses for one object do not. */
function infoOf(key: string, bytes: number | undefined, modifiedAt: Date | undefined): BlobInfo {
  const time = Math.floor((modifiedAt?.getTime() ?? 0) / 1000) * 1000;
  return { key, bytes: bytes ?? 0, modifiedAt: new Date(time) };
}

function outside(key: string, range: { start: number; end: number }): RangeError {
  return new RangeError(`The range ${range.start}-${range.end} is outside ${key}`);
}

function hostOf(address: string): string {
  return new URL(address).host;
}
