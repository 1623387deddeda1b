/** A server that asks `checkAccess` before the handler of the site server, and a platform that notes its sign-ins. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ManifestHead } from '@offprint/bundle';
import { checkAccess } from '../../src/access/check-access.ts';
import type { Access, Requirement } from '../../src/access/may-read.ts';
import { replaceHeaders } from '../../src/access/replace-headers.ts';
import { createRequirementOf } from '../../src/access/requirements.ts';
import { type PostSignIn, relaySignIn } from '../../src/access/sign-in.ts';
import { openStore } from '../../src/releases/store.ts';
import { answer } from '../../src/serving/handler.ts';
import { loadSite } from '../../src/serving/site.ts';
import { packFiles } from './reader.ts';

export interface RestrictedSite {
  port: number;
  /** How often the handler of the release was used. */
  opened(): number;
  close(): Promise<void>;
}

export async function startRestrictedSite(options: {
  host: string;
  basePath: string;
  access: Access;
  files: Readonly<Record<string, string | Uint8Array>>;
  head?: Partial<ManifestHead>;
  /** Rules by path of the file. */
  rules?: Readonly<Record<string, Requirement>>;
  isSecure?: boolean;
  post?: PostSignIn;
}): Promise<RestrictedSite> {
  const { host, basePath, access, rules = {}, isSecure = false } = options;
  const root = mkdtempSync(join(tmpdir(), 'offprint-access-'));
  const store = await openStore(join(root, 'releases'), { durable: false, isInUse: () => true });
  const path = join(root, 'bundle.tar.gz');
  writeFileSync(path, await packFiles(options.files, options.head));
  const loaded = await loadSite(await store.install(path), { basePath, https: isSecure });
  const post = options.post ?? (async () => ({ status: 200, headers: {}, body: 'sign in' }));
  let opened = 0;
  const site = {
    host,
    basePath,
    access,
    requirementOf: createRequirementOf(loaded.find, new Map(Object.entries(rules))),
  };
  const server = createServer((request, response) => {
    const { method = '', url: target = '', headers } = request;
    const decision = checkAccess(site, { method, target, headers, isSecure });
    if (decision.kind === 'sign-in') {
      void relaySignIn(site, request, response, { address: '192.0.2.1', isSecure, post });
      return;
    }
    if (decision.kind === 'answer') {
      const body = Buffer.from(decision.body);
      response.writeHead(decision.status, { ...decision.headers, 'Content-Length': body.length });
      response.end(method === 'HEAD' ? undefined : body);
      return;
    }
    opened += 1;
    replaceHeaders(response, decision.headers);
    // no file of a release has this name, so the response is that of a missing file
    if (decision.kind === 'missing') request.url = `${basePath}/_offprint/-`;
    void answer(loaded, null, { request, response, extra: [], note: () => {} });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return {
    port: address.port,
    opened: () => opened,
    async close() {
      server.closeAllConnections();
      server.close();
      await store.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}
