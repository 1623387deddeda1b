import { readFileSync } from 'node:fs';
import { assetPath } from '@offprint/render/assets';

const manifest: unknown = JSON.parse(readFileSync(assetPath('packages/render/package.json'), 'utf8'));

/** Version of this program. The packages of the project have the same one. */
export const VERSION = String((manifest as { version: unknown }).version);
