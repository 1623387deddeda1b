import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** A server of WebSockets on this machine. It returns each text as `{"echo": text}`. */
export interface TestSockets {
  url: string;
  /** Paths of the connections, the last one last. */
  opened: string[];
  /** Texts that it received. */
  received: string[];
  /** Connections at the moment. */
  readonly open: number;
  stop(): Promise<void>;
}

const TEXT = 1;
const BINARY = 2;
const CLOSE = 8;

/** A frame of a server, which has no mask (RFC 6455, section 5.2). */
function frame(opcode: number, content: Buffer): Buffer {
  if (content.length > 65_535) throw new Error('the test server sends short messages only');
  const head = content.length < 126 ? Buffer.from([0x80 | opcode, content.length]) : Buffer.alloc(4);
  if (content.length >= 126) {
    head.set([0x80 | opcode, 126]);
    head.writeUInt16BE(content.length, 2);
  }
  return Buffer.concat([head, content]);
}

/** The first frame of a client, without its mask, and what follows; null if it has not arrived. */
function readFrame(data: Buffer): { opcode: number; content: Buffer; rest: Buffer } | null {
  if (data.length < 6) return null;
  const short = data.readUInt8(1) & 127;
  if (short === 127) throw new Error('the test server receives short messages only');
  const start = short === 126 ? 8 : 6;
  if (data.length < start) return null;
  const length = short === 126 ? data.readUInt16BE(2) : short;
  if (data.length < start + length) return null;
  const mask = data.subarray(start - 4, start);
  const content = Buffer.from(data.subarray(start, start + length)).map(
    (byte, at) => byte ^ (mask[at % 4] ?? 0),
  );
  return {
    opcode: data.readUInt8(0) & 15,
    content: Buffer.from(content),
    rest: data.subarray(start + length),
  };
}

function respond(text: string, socket: Socket): void {
  const say = (answer: string): void => void socket.write(frame(TEXT, Buffer.from(answer)));
  if (text === 'binary') socket.write(frame(BINARY, Buffer.from([1, 2, 3])));
  else if (text === 'leave') {
    const code = Buffer.alloc(2);
    code.writeUInt16BE(4001);
    socket.end(frame(CLOSE, Buffer.concat([code, Buffer.from('room is closed')])));
  } else if (text === 'flood') for (let at = 0; at < 1000; at++) say(`flood ${at}`);
  else say(JSON.stringify({ echo: text }));
}

export async function startSockets(): Promise<TestSockets> {
  const opened: string[] = [];
  const received: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((_, response) => response.writeHead(426).end());
  server.on('upgrade', (request, socket: Socket) => {
    const path = request.url ?? '';
    socket.on('error', () => socket.destroy());
    if (path.includes('forbidden')) {
      socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
      return;
    }
    const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
    const accept = createHash('sha1').update(key).digest('base64');
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
    opened.push(path);
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    let data: Buffer = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      data = Buffer.concat([data, chunk]);
      for (let next = readFrame(data); next !== null; next = readFrame(data)) {
        data = next.rest;
        if (next.opcode === CLOSE) socket.end(frame(CLOSE, next.content));
        else {
          received.push(next.content.toString());
          respond(next.content.toString(), socket);
        }
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    opened,
    received,
    get open() {
      return sockets.size;
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
