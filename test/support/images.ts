import { crc32, deflateSync } from 'node:zlib';

/** A PNG that shows blocks of colors with some noise, so that it takes many bytes as PNG and few in other formats. */
export function imageFile(width: number, height: number, seed: number): Buffer {
  const rows = Buffer.alloc(height * (1 + width * 3));
  let state = seed;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width * 3; x++) {
      state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
      const block = ((x >> 7) * 37 + (y >> 6) * 61 + seed * 17) & 127;
      rows[y * (1 + width * 3) + 1 + x] = block + 64 + ((state >> 20) & 7);
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const parts = [
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows, { level: 1 })),
    chunk('IEND', Buffer.alloc(0)),
  ];
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...parts]);
}

/** A part of a PNG. */
export function chunk(kind: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(kind, 'latin1'), data]);
  const out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.length, 0);
  body.copy(out, 4);
  out.writeUInt32BE(crc32(body), body.length + 4);
  return out;
}
