import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { ImageFormat } from '@offprint/render/images';

/** Why images are not encoded where `encoderName` finds none. */
export const NOT_INSTALLED = 'the package sharp is not installed for this platform.';

/** The libraries besides that for images, by format: names in the list of versions of the package. */
const CODECS = { webp: ['webp'], avif: ['heif', 'aom'] } as const satisfies Record<
  ImageFormat,
  readonly string[]
>;

/**
 * Versions of what decides the bytes of encoded images, and the platform: `sharp 0.35.5, vips 8.18.7, webp 1.6.0,
 * linux-x64`. Reads no native code. null if the package is not installed for this platform.
 */
export function encoderName(format: ImageFormat): string | null {
  try {
    const main = createRequire(import.meta.url).resolve('sharp');
    const versions = readVersions(dirname(dirname(dirname(main))));
    if (versions === null) return null;
    const { version }: { version: string } = readJson(join(dirname(dirname(main)), 'package.json'));
    const parts = ['vips', ...CODECS[format]].map((name) => `${name} ${versions[name]}`);
    return [`sharp ${version}`, ...parts, `${process.platform}-${process.arch}`].join(', ');
  } catch {
    return null;
  }
}

/** The versions of the libraries that are installed beside the package. */
function readVersions(modules: string): Record<string, string> | null {
  const { platform, arch } = process;
  const names = ['sharp-libvips-', 'sharp-'].flatMap((name) =>
    [platform, `${platform}musl`].map((system) => `${name}${system}-${arch}`),
  );
  for (const name of names) {
    try {
      return readJson(join(modules, '@img', name, 'versions.json'));
    } catch {
      // Installed for another platform, or not at all.
    }
  }
  return null;
}

const readJson = <T>(file: string): T => JSON.parse(readFileSync(file, 'utf8'));
