/** A real certificate authority with ACME: Pebble (Debian package `pebble`), on loopback. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasOpenssl, makeCertificate } from './certificate.ts';
import { freePort } from './free-port.ts';
import { findProgram } from './system-program.ts';

export const pebbleProgram = hasOpenssl ? findProgram('pebble') : null;

export interface Pebble {
  /** URL of the ACME directory. */
  directory: string;
  /** PEM file that its clients trust. */
  caFile: string;
  /** Ports on which it expects the web servers of domains. */
  httpPort: number;
  tlsPort: number;
  /** What it has logged. */
  log(): string;
  stop(): Promise<void>;
}

export interface PebbleOptions {
  /** `address:port` of its resolver. */
  dnsServer: string;
  /** Accounts need one of these keys, by key id. */
  externalKeys?: Readonly<Record<string, string>>;
  /** Settings in the environment, such as `PEBBLE_VA_SLEEPTIME`. Default: no delays. */
  env?: Readonly<Record<string, string>>;
}

export async function startPebble(options: PebbleOptions): Promise<Pebble> {
  if (pebbleProgram === null) throw new Error('pebble is not installed');
  const folder = await mkdtemp(join(tmpdir(), 'offprint-pebble-'));
  const { certFile } = makeCertificate(folder);
  const [port, managementPort, httpPort, tlsPort] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ];
  const config = {
    pebble: {
      listenAddress: `127.0.0.1:${port}`,
      managementListenAddress: `127.0.0.1:${managementPort}`,
      certificate: certFile,
      privateKey: join(folder, 'key.pem'),
      httpPort,
      tlsPort,
      ocspResponderURL: '',
      externalAccountBindingRequired: options.externalKeys !== undefined,
      externalAccountMACKeys: options.externalKeys ?? {},
    },
  };
  const configFile = join(folder, 'config.json');
  await writeFile(configFile, JSON.stringify(config));
  const child = spawn(pebbleProgram, ['-config', configFile, '-dnsserver', options.dnsServer, '-strict'], {
    env: { PATH: process.env.PATH ?? '', ...(options.env ?? { PEBBLE_VA_NOSLEEP: '1' }) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
  await listening(child, () => log);
  return {
    directory: `https://localhost:${port}/dir`,
    caFile: certFile,
    httpPort,
    tlsPort,
    log: () => log,
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGTERM');
        await once(child, 'exit');
      }
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function listening(child: ChildProcess, log: () => string): Promise<void> {
  for (let tries = 0; tries < 1_200; tries += 1) {
    if (child.exitCode !== null) throw new Error(`pebble ended with ${child.exitCode}:\n${log()}`);
    if (log().includes('ACME directory available')) return;
    await sleep(50);
  }
  throw new Error(`pebble did not start:\n${log()}`);
}
