import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { z } from 'zod';
import { ForgeError } from './port.ts';
import { type Answer, type Call, createSend, type ForgeOptions, read, textOf } from './request.ts';

export interface AppAuth {
  appId: string;
  installationId: string;
  /** PEM. */
  privateKey: string;
}

/** What is asked for and no more; `workflows` never, so that a push that changes one is refused by GitHub. */
const PERMISSIONS = { contents: 'write', pull_requests: 'write', metadata: 'read' };
const REUSE_MS = 3 * 60_000;
/** Clocks differ: a token "from the future" is refused. */
const CLOCK_SLACK_S = 60;
/** GitHub takes at most ten minutes. */
const LIFETIME_S = 8 * 60;

const minted = z.object({ token: z.string().min(1).max(2000) });

/**
 * Installation tokens of a GitHub App, narrowed to one repository and to three permissions. Each is reused for
 * three minutes at most and lives for an hour at GitHub.
 */
export function createAppTokens(
  app: AppAuth,
  at: {
    apiUrl: string;
    repository: string;
    headers: Readonly<Record<string, string>>;
    /** Default: those of agent jobs. */
    permissions?: Readonly<Record<string, string>>;
  },
  options: ForgeOptions,
): { get(signal: AbortSignal): Promise<string>; secrets(): readonly string[] } {
  const key = readKey(app.privateKey);
  let held: { token: string; until: number } | null = null;
  const seen: string[] = [];
  const send = createSend(
    {
      name: 'GitHub',
      url: at.apiUrl,
      headers: async () => {
        const jwt = signJwt(app.appId, key, options.now());
        seen.push(jwt);
        return { ...at.headers, authorization: `Bearer ${jwt}` };
      },
      explain: (answer, call) => explain(answer, call, app, at.repository),
      secrets: () => seen,
    },
    options,
  );
  return {
    async get(signal) {
      const now = options.now().getTime();
      if (held !== null && now < held.until) return held.token;
      const name = at.repository.slice(at.repository.indexOf('/') + 1);
      const call: Call = {
        method: 'POST',
        path: `/app/installations/${encodeURIComponent(app.installationId)}/access_tokens`,
        body: { repositories: [name], permissions: at.permissions ?? PERMISSIONS },
        needs: 'Contents and Pull requests: read and write',
      };
      seen.length = 0;
      const { token } = read(minted, await send(call, signal), call);
      seen.push(token);
      held = { token, until: now + REUSE_MS };
      return token;
    },
    secrets: () => seen,
  };
}

function readKey(privateKey: string): KeyObject {
  try {
    const key = createPrivateKey(privateKey);
    if (key.asymmetricKeyType === 'rsa') return key;
  } catch {
    // Reported below; the cause could quote the key.
  }
  throw new ForgeError(
    'auth',
    'The private key of the GitHub App is not an RSA key in PEM format. Generate one on the settings page of the App and set it on the project.',
  );
}

function signJwt(appId: string, key: KeyObject, now: Date): string {
  const seconds = Math.floor(now.getTime() / 1000);
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { iat: seconds - CLOCK_SLACK_S, exp: seconds + LIFETIME_S, iss: appId };
  const head = `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode(claims)}`;
  return `${head}.${sign('sha256', Buffer.from(head), key).toString('base64url')}`;
}

function explain({ status, body }: Answer, _call: Call, app: AppAuth, repository: string): ForgeError {
  const said = textOf(body);
  if (status === 401) {
    return new ForgeError(
      'auth',
      `GitHub rejected the key of the App ${app.appId} (${said}). Check the App's id, its private key and the clock of this server.`,
    );
  }
  if (status === 404) {
    return new ForgeError(
      'auth',
      `GitHub did not find the installation ${app.installationId} of the App ${app.appId}. Install the App for ${repository} and set the id of that installation.`,
    );
  }
  if (status === 422 && /permission/i.test(said)) {
    return new ForgeError(
      'auth',
      `The installation of the GitHub App lacks a permission (${said}). Grant it Contents: read and write and Pull requests: read and write, and accept the change in the organization.`,
    );
  }
  if (status === 422) {
    return new ForgeError(
      'not-found',
      `The installation of the GitHub App has no access to ${repository} (${said}). Add the repository to it.`,
    );
  }
  return new ForgeError('auth', `GitHub returned no token for the App (${status}: ${said}).`);
}
