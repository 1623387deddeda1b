/** A DNS server on loopback with the records of a test, for Node's resolver and for ACME servers. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';

export interface DnsServer {
  /** `127.0.0.1:port`. */
  address: string;
  /** Replaces the values of a name; an empty list: the name exists without such records. */
  set(name: string, type: 'A' | 'TXT', values: readonly string[]): void;
  /** The name does not exist. */
  remove(name: string): void;
  /** Whether queries for names that end with this text fail with SERVFAIL. */
  break(suffix: string | null): void;
  close(): Promise<void>;
}

const TYPES = { A: 1, TXT: 16 } as const;
const SERVFAIL = 2;
const NXDOMAIN = 3;

export async function startDnsServer(): Promise<DnsServer> {
  const names = new Map<string, Map<number, readonly string[]>>();
  let broken: string | null = null;
  const socket = createSocket('udp4');
  socket.on('message', (query, peer) => {
    const { name, type, end } = readQuestion(query);
    const records = names.get(name);
    const isBroken = broken !== null && name.endsWith(broken);
    const values = isBroken ? [] : (records?.get(type) ?? []);
    const code = isBroken ? SERVFAIL : records === undefined ? NXDOMAIN : 0;
    const head = Buffer.alloc(12);
    query.copy(head, 0, 0, 2);
    // Response, authoritative, recursion desired and available.
    head.writeUInt16BE(0x8580 | code, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(values.length, 6);
    const answers = values.map((value) => record(type, value));
    socket.send(Buffer.concat([head, query.subarray(12, end), ...answers]), peer.port, peer.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    set(name, type, values) {
      const records = names.get(name) ?? new Map<number, readonly string[]>();
      names.set(name, records.set(TYPES[type], values));
    },
    remove: (name) => void names.delete(name),
    break: (suffix) => {
      broken = suffix;
    },
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function record(type: number, value: string): Buffer {
  const data =
    type === TYPES.A
      ? Buffer.from(value.split('.').map(Number))
      : Buffer.concat(
          (value.match(/[\s\S]{1,255}/g) ?? ['']).flatMap((part) => [
            Buffer.from([part.length]),
            Buffer.from(part, 'latin1'),
          ]),
        );
  const head = Buffer.alloc(12);
  // The name of the question, class IN, a life of 0 seconds.
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}
