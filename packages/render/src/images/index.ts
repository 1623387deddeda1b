export type { EncodedImages, ImageEncoder, ImageRequest, OpenEncoder } from './encoder.ts';
export {
  type ImageFormat,
  type ImageRecord,
  type ImageVariant,
  packImage,
  unpackImage,
} from './record.ts';
