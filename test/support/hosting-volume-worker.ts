/**
 * Installs bundles on a volume and sweeps it, without rest, until it is killed. Arguments: the volume, then the bundles
 * as `<digest>:<path>`. Each round wants another two of them.
 */
import { openVolume } from '../../apps/site/src/hosting/volume.ts';

const [dir = '', ...bundles] = process.argv.slice(2);
const volume = await openVolume(dir, { durable: false, graceMs: 0 });
const { signal } = new AbortController();
process.stdout.write('started\n');
for (let round = process.pid; ; round++) {
  const wanted: string[] = [];
  for (const place of [round, round * 3 + 1]) {
    const [sha256 = '', path = ''] = bundles[place % bundles.length]?.split(':') ?? [];
    await volume.install(path, { sha256, signal });
    wanted.push(sha256);
    // what this process wants is complete, whatever the others remove
    const table = await volume.openTable(sha256);
    await table.close();
  }
  await volume.sweep(wanted);
}
