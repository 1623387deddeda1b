import { describe, expect, test } from 'vitest';
import { memorySource } from '../../source.ts';
import { naturalSize } from './images.ts';

const png = (width: number, height: number): Uint8Array => {
  const bytes = new Uint8Array(40);
  bytes.set([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]);
  new DataView(bytes.buffer).setUint32(16, width);
  new DataView(bytes.buffer).setUint32(20, height);
  return bytes;
};

describe('sizes of images', () => {
  const source = memorySource({
    'a.png': png(640, 480),
    'cut.png': png(640, 480).subarray(0, 12),
    'text.png': 'not an image',
    'named.svg': '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" width="24px" height="12.4"/>',
    'free.svg': '<svg viewBox="0 0 10 10"/>',
    'share.svg': '<svg width="100%" height="50"/>',
    'a.pdf': png(1, 1),
  });

  test('are read from the header of the file', () => {
    expect(naturalSize(source, 'a.png')).toEqual({ width: 640, height: 480 });
    expect(naturalSize(source, 'named.svg')).toEqual({ width: 24, height: 12 });
  });

  test.each(['cut.png', 'text.png', 'free.svg', 'share.svg', 'a.pdf', 'missing.png'])(
    '%s names none',
    (path) => {
      expect(naturalSize(source, path)).toBeNull();
    },
  );
});
