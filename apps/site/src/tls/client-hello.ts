/** What a client says at the start of a TLS connection. */
export interface ClientHello {
  /** Host name in lower case; null if the client names none. */
  serverName: string | null;
  /** Application protocols (ALPN). */
  protocols: string[];
}

/** Larger ones are refused: clients send some hundred bytes, with post-quantum keys less than 2,000. */
export const maxHelloBytes = 16_384;

const headBytes = 5;
const handshakeRecord = 22;
const clientHello = 1;
const serverNameExtension = 0;
const alpnExtension = 16;

/** Reads a ClientHello (RFC 8446, 4.1.2) from the first bytes of a connection. `more`: it is not complete. */
export function readClientHello(bytes: Buffer): ClientHello | 'more' | 'invalid' {
  let message = Buffer.alloc(0);
  for (let at = 0; ; ) {
    const record = recordAt(bytes, at);
    if (typeof record === 'string') return record;
    message = Buffer.concat([message, record]);
    at += headBytes + record.length;
    if (message.length < 4) continue;
    const needed = 4 + message.readUIntBE(1, 3);
    if (message[0] !== clientHello || needed > maxHelloBytes) return 'invalid';
    if (message.length >= needed) return readMessage(message.subarray(4, needed));
  }
}

/** The content of a record of the handshake. */
function recordAt(bytes: Buffer, at: number): Buffer | 'more' | 'invalid' {
  const start = at + headBytes;
  if (bytes.length < start) return 'more';
  const length = bytes.readUInt16BE(at + 3);
  if (bytes[at] !== handshakeRecord || bytes[at + 1] !== 3 || length === 0) return 'invalid';
  if (bytes.length >= start + length) return bytes.subarray(start, start + length);
  return start + length > maxHelloBytes ? 'invalid' : 'more';
}

function readMessage(message: Buffer): ClientHello | 'invalid' {
  try {
    return readBody(createReader(message));
  } catch (error) {
    if (error instanceof RangeError) return 'invalid';
    throw error;
  }
}

function readBody(hello: Reader): ClientHello {
  hello.skip(34);
  hello.skip(hello.number(1));
  hello.skip(hello.number(2));
  hello.skip(hello.number(1));
  const found: ClientHello = { serverName: null, protocols: [] };
  if (hello.isEmpty()) return found;
  const extensions = hello.part(hello.number(2));
  while (!extensions.isEmpty()) {
    const type = extensions.number(2);
    const content = extensions.part(extensions.number(2));
    if (type === serverNameExtension) found.serverName = readServerName(content);
    if (type === alpnExtension) found.protocols = readProtocols(content);
  }
  return found;
}

function readServerName(content: Reader): string | null {
  const names = content.part(content.number(2));
  while (!names.isEmpty()) {
    const type = names.number(1);
    const name = names.text(names.number(2));
    if (type === 0) return name.toLowerCase();
  }
  return null;
}

function readProtocols(content: Reader): string[] {
  const list = content.part(content.number(2));
  const protocols: string[] = [];
  while (!list.isEmpty()) protocols.push(list.text(list.number(1)));
  return protocols;
}

interface Reader {
  isEmpty(): boolean;
  skip(length: number): void;
  number(bytes: 1 | 2): number;
  text(length: number): string;
  part(length: number): Reader;
}

/** Methods throw a RangeError beyond the end. */
function createReader(bytes: Buffer): Reader {
  let at = 0;
  const take = (length: number): Buffer => {
    if (at + length > bytes.length) throw new RangeError('beyond the end');
    at += length;
    return bytes.subarray(at - length, at);
  };
  return {
    isEmpty: () => at === bytes.length,
    skip: (length) => void take(length),
    number: (size) => take(size).readUIntBE(0, size),
    text: (length) => take(length).toString('latin1'),
    part: (length) => createReader(take(length)),
  };
}
