import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { connectionSettings } from './database.ts';

const HEAR_MS = 5_000;
const REPEAT_MS = 100;

/**
 * Whether a connection pooler, such as PgBouncer, is between this process and PostgreSQL. Found by what it does, not by
 * its name or port: a pooler invents the process id that it gives to clients.
 */
export async function isPooled(url: string): Promise<boolean> {
  const client = await connect(url);
  try {
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    return !('processID' in client) || client.processID !== rows[0]?.pid;
  } finally {
    await client.end();
  }
}

/**
 * Whether connections of this URL keep their session: notifications arrive, and locks of the session stay. False for a
 * pooler that gives each transaction another session.
 */
export async function keepsSessions(url: string): Promise<boolean> {
  const listening = await connect(url);
  const sending = await connect(url);
  try {
    const channel = `offprint_probe_${randomBytes(8).toString('hex')}`;
    let isHeard = false;
    listening.on('notification', () => {
      isHeard = true;
    });
    await listening.query(`LISTEN ${channel}`);
    const end = performance.now() + HEAR_MS;
    while (!isHeard && performance.now() < end) {
      await sending.query('SELECT pg_notify($1, $2)', [channel, '']);
      await sleep(REPEAT_MS);
    }
    // A pooler may have given the channel to a session that others get.
    await listening.query('UNLISTEN *');
    return isHeard;
  } finally {
    await Promise.all([listening.end(), sending.end()]);
  }
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(connectionSettings(url, 'probe'));
  client.on('error', () => {});
  await client.connect();
  return client;
}
