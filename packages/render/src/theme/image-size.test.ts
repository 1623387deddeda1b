import { expect, test } from 'vitest';
import { imageSize } from './image-size.ts';

/** A JPEG of 400 x 300 pixels without its picture; its Exif data have that orientation. */
function photo(orientation: number, isLittle: boolean): Uint8Array {
  const exif = Buffer.alloc(32);
  exif.write('Exif\0\0', 'latin1');
  exif.write(isLittle ? 'II' : 'MM', 6, 'latin1');
  const put16 = (value: number, at: number) =>
    isLittle ? exif.writeUInt16LE(value, at) : exif.writeUInt16BE(value, at);
  const put32 = (value: number, at: number) =>
    isLittle ? exif.writeUInt32LE(value, at) : exif.writeUInt32BE(value, at);
  put16(42, 8);
  put32(8, 10);
  put16(1, 14);
  put16(0x0112, 16);
  put16(3, 18);
  put32(1, 20);
  put16(orientation, 24);
  return Buffer.concat([segment(0xd8), segment(0xe1, exif), segment(0xe1, XMP), segment(0xc0, frame)]);
}

const XMP = Buffer.from('http://ns.adobe.com/xap/1.0/\0<x:xmpmeta/>', 'latin1');
const frame = Buffer.from([8, 300 >> 8, 300 & 255, 400 >> 8, 400 & 255, 3, 1, 0x22, 0]);

function segment(marker: number, content?: Buffer): Buffer {
  if (content === undefined) return Buffer.from([0xff, marker]);
  const length = content.length + 2;
  return Buffer.concat([Buffer.from([0xff, marker, length >> 8, length & 255]), content]);
}

test.each([true, false])(
  'sides of a photo are those that browsers show, as its orientation says (little endian: %s)',
  (isLittle) => {
    for (const orientation of [1, 2, 3, 4])
      expect(imageSize(photo(orientation, isLittle)), String(orientation)).toEqual({
        width: 400,
        height: 300,
      });
    for (const orientation of [5, 6, 7, 8])
      expect(imageSize(photo(orientation, isLittle)), String(orientation)).toEqual({
        width: 300,
        height: 400,
      });
  },
);

test('damaged Exif data turn nothing, wherever they end', () => {
  const whole = photo(6, true);
  const exif = Buffer.from(whole.subarray(6, 38));
  for (let length = 0; length < exif.length; length++) {
    const bytes = Buffer.concat([
      segment(0xd8),
      segment(0xe1, exif.subarray(0, length)),
      segment(0xc0, frame),
    ]);
    expect(() => imageSize(bytes)).not.toThrow();
  }
  exif.writeUInt32LE(0xffffffff, 10);
  const bytes = Buffer.concat([segment(0xd8), segment(0xe1, exif), segment(0xc0, frame)]);
  expect(imageSize(bytes)).toEqual({ width: 400, height: 300 });
});
