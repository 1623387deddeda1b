/**
 * A platform process for tests: uses the embedded server of a data folder until it is killed or gets SIGTERM.
 * Standard input: `UserSettings` as JSON. Writes a line of JSON when it is ready, then, in `write`, the
 * number of each row that the server has acknowledged.
 */
import { json } from 'node:stream/consumers';
import pg from 'pg';
import { startEmbeddedPostgres } from './embedded.ts';

export interface UserSettings {
  dataDir: string;
  mode: 'hold' | 'write';
}

const { dataDir, mode } = (await json(process.stdin)) as UserSettings;
const log = { info: () => {}, error: (message: string) => void process.stderr.write(`${message}\n`) };
const { url, adopted, stop } = await startEmbeddedPostgres({ dataDir, log });
process.on('SIGTERM', async () => {
  await stop();
  process.exit(0);
});
process.stdout.write(`${JSON.stringify({ url, adopted })}\n`);

if (mode === 'write') {
  const client = new pg.Client(url);
  client.on('error', () => {});
  await client.connect();
  await client.query(
    'CREATE TABLE IF NOT EXISTS acknowledged (n bigint GENERATED ALWAYS AS IDENTITY, body text)',
  );
  for (;;) {
    const { rows } = await client.query(
      "INSERT INTO acknowledged (body) VALUES (repeat('x', 500)) RETURNING n",
    );
    process.stdout.write(`${rows[0].n}\n`);
  }
}
setInterval(() => {}, 60_000);
