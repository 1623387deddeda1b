/** Prints one SHA-256 over names and contents of everything the fixture site renders to. */
import { createHash } from 'node:crypto';
import { FIXTURE, readFolder, renderFiles } from './output.ts';

const { files, result } = await renderFiles(readFolder(FIXTURE));
const hash = createHash('sha256').update(JSON.stringify(result));
for (const [path, content] of files) hash.update(`\0${path}\0`).update(content);
process.stdout.write(hash.digest('hex'));
