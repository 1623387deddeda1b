import { once } from 'node:events';
import type { Duplex } from 'node:stream';

/** Maximum size of one message: that of a line of a child, and what surrounds it. */
export const MAX_MESSAGE_BYTES = 16 * 1024 ** 2 + 64 * 1024;
/** Maximum size of one piece of data. */
export const MAX_DATA_BYTES = 256 * 1024;

/** A frame is its type (one byte), the length of its payload (four bytes) and the payload. */
const HEAD_BYTES = 5;
const TYPES = { beat: 0, message: 1, data: 2 } as const;
const MAX_BYTES: Readonly<Record<number, number>> = {
  [TYPES.beat]: 0,
  [TYPES.message]: MAX_MESSAGE_BYTES,
  [TYPES.data]: MAX_DATA_BYTES,
};

/** The peer sent what is not the protocol, or the connection is closed for what is to be sent. */
export class LinkError extends Error {
  override name = 'LinkError';
}

export type Frame = { kind: 'message'; message: unknown; bytes: number } | { kind: 'data'; data: Buffer };

export interface LinkTiming {
  /** Time between two signs of life. */
  beatMs: number;
  /** A peer without a sign of life for this time is gone. */
  idleMs: number;
}

const TIMING: LinkTiming = { beatMs: 5_000, idleMs: 60_000 };

/** Both directions of one connection. Neither side trusts what it receives. */
export interface Link {
  /** Resolves when the connection takes more. Rejects when it is closed. */
  send(message: object): Promise<void>;
  /** As `send`, for at most MAX_DATA_BYTES. */
  sendData(data: Uint8Array): Promise<void>;
  /**
   * What the peer sends, once. Reads no faster than the consumer; the consumer must not wait for anything but its disk.
   * Returns when the peer has closed the connection, throws when it breaks.
   */
  frames(): AsyncGenerator<Frame>;
  /** Sends what is waiting and closes the connection. */
  end(): void;
  /** Closes the connection at once. */
  close(): void;
}

/** Frames on a connection; `head` is what was read of them already. */
export function openLink(socket: Duplex, head: Buffer, timing: Partial<LinkTiming> = {}): Link {
  const { beatMs, idleMs } = { ...TIMING, ...timing };
  const closed = new AbortController();
  // Counted in beats of this process: while it does not run, nothing can be heard.
  let silentBeats = 0;
  let drained: Promise<void> | null = null;
  // Its end is reported to those who read and write.
  socket.on('error', () => undefined);
  if (head.byteLength > 0) socket.unshift(head);

  const write = (type: number, payload: Uint8Array): void => {
    const start = Buffer.allocUnsafe(HEAD_BYTES);
    start.writeUInt8(type, 0);
    start.writeUInt32BE(payload.byteLength, 1);
    socket.cork();
    socket.write(start);
    if (payload.byteLength > 0) socket.write(payload);
    socket.uncork();
  };
  const send = async (type: number, payload: Uint8Array): Promise<void> => {
    if (closed.signal.aborted || socket.writableEnded) throw new LinkError('the connection is closed');
    const most = MAX_BYTES[type] ?? 0;
    // An error of this side, which the peer never sees.
    if (payload.byteLength > most) throw new RangeError(`a message has more than ${most} bytes`);
    write(type, payload);
    if (!socket.writableNeedDrain) return;
    // One listener for all who wait.
    drained ??= once(socket, 'drain', { signal: closed.signal }).then(
      () => {
        drained = null;
      },
      (error: unknown) => {
        throw new LinkError('the connection is closed', { cause: error });
      },
    );
    await drained;
  };
  const beat = setInterval(() => {
    silentBeats += 1;
    if (silentBeats * beatMs > idleMs)
      socket.destroy(Object.assign(new Error('the peer does not respond'), { code: 'ETIMEDOUT' }));
    else if (!socket.writableNeedDrain && !socket.writableEnded) write(TYPES.beat, Buffer.alloc(0));
  }, beatMs);
  socket.on('close', () => {
    clearInterval(beat);
    closed.abort();
  });
  if (socket.destroyed) clearInterval(beat);

  return {
    send: (message) => send(TYPES.message, Buffer.from(JSON.stringify(message))),
    sendData: (data) => send(TYPES.data, data),
    async *frames() {
      const read = createFrameReader();
      for await (const chunk of socket as AsyncIterable<Buffer>) {
        silentBeats = 0;
        yield* read(chunk);
      }
    },
    end: () => socket.end(),
    close: () => socket.destroy(),
  };
}

/** Throws LinkError for an invalid frame, before there is memory for it. */
function createFrameReader(): (chunk: Buffer) => Generator<Frame> {
  let type: number | null = null;
  let target = Buffer.allocUnsafe(HEAD_BYTES);
  let filled = 0;
  // One buffer for each payload, however many pieces it comes in.
  const fill = (bytes: number): void => {
    target = Buffer.allocUnsafe(bytes);
    filled = 0;
  };
  return function* read(chunk) {
    for (let at = 0; at < chunk.byteLength; ) {
      const copied = chunk.copy(target, filled, at);
      at += copied;
      filled += copied;
      if (filled < target.byteLength) return;
      if (type === null) {
        const bytes = target.readUInt32BE(1);
        const most = MAX_BYTES[target.readUInt8(0)];
        if (most === undefined || bytes > most || (bytes === 0 && most > 0))
          throw new LinkError('the peer sent an invalid frame');
        if (bytes > 0) type = target.readUInt8(0);
        fill(bytes > 0 ? bytes : HEAD_BYTES);
        continue;
      }
      const [kind, payload] = [type, target];
      type = null;
      fill(HEAD_BYTES);
      yield kind === TYPES.data
        ? { kind: 'data', data: payload }
        : { kind: 'message', message: parse(payload), bytes: payload.byteLength };
    }
  };
}

function parse(payload: Buffer): unknown {
  try {
    return JSON.parse(payload.toString('utf8'));
  } catch {
    throw new LinkError('the peer sent a message that is not JSON');
  }
}
