import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Whether docs may ask for variants of images. Their configuration is read in the sandbox; true wherever this cannot tell. */
export async function mayWantVariants(root: string): Promise<boolean> {
  for (const name of ['docs.json', 'mint.json']) {
    const text = await readFile(join(root, name), 'utf8').catch(() => '');
    if (/"variants"|"\$ref"|\\u/.test(text)) return true;
  }
  return false;
}
