import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { AppError } from '../platform/http/error.ts';

/** How hard a password is to guess from the table: memory is 128 · r · 2^logN bytes, here 128 MiB. */
const COST = { logN: 17, r: 8, p: 1 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;
const FORM = /^scrypt\$(\d{1,2})\$(\d{1,2})\$(\d{1,2})\$([\w-]{10,100})\$([\w-]{20,200})$/;

/**
 * Two at once take 256 MiB and two cores; later ones wait, and beyond this number they are asked to retry.
 */
const MAX_CONCURRENT = 2;
const MAX_WAITING = 60;

/** Compared against where the account does not exist, so that the response takes the same work. */
const NOBODY = `scrypt$${COST.logN}$${COST.r}$${COST.p}$${'A'.repeat(22)}$${'A'.repeat(43)}`;

/** Text that keeps a password: `scrypt$logN$r$p$salt$hash`, base64url. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(password, salt, COST, HASH_BYTES);
  const { logN, r, p } = COST;
  return `scrypt$${logN}$${r}$${p}$${salt.toString('base64url')}$${hash.toString('base64url')}`;
}

/**
 * Whether the password is the one that `kept` was made of. Without a kept one it is not, after the same work.
 * Throws the 503 when too many wait.
 */
export async function matchesPassword(password: string, kept: string | null | undefined): Promise<boolean> {
  const { cost, salt, hash } = parse(kept ?? NOBODY);
  const made = await derive(password, salt, cost, hash.length);
  return timingSafeEqual(made, hash) && kept !== null && kept !== undefined;
}

/** Whether the text was made with other parameters than new ones are. */
export function isOutdated(kept: string): boolean {
  const { cost, hash } = parse(kept);
  return cost.logN !== COST.logN || cost.r !== COST.r || cost.p !== COST.p || hash.length !== HASH_BYTES;
}

function parse(kept: string): { cost: typeof COST; salt: Buffer; hash: Buffer } {
  const [, logN, r, p, salt = '', hash = ''] = FORM.exec(kept) ?? [];
  if (logN === undefined) throw new Error('unknown format of a stored password');
  return {
    cost: { logN: Number(logN), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt, 'base64url'),
    hash: Buffer.from(hash, 'base64url'),
  };
}

let running = 0;
const waiting: (() => void)[] = [];

async function derive(password: string, salt: Buffer, cost: typeof COST, bytes: number): Promise<Buffer> {
  if (running >= MAX_CONCURRENT) {
    if (waiting.length >= MAX_WAITING) {
      throw new AppError(
        'unavailable',
        'Too many people are signing in at the moment. Try again in a few seconds.',
        {
          headers: { 'Retry-After': '5' },
        },
      );
    }
    // A finished task hands its slot on, so `running` stays as it is.
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else {
    running += 1;
  }
  try {
    const N = 2 ** cost.logN;
    const options = { N, r: cost.r, p: cost.p, maxmem: 256 * N * cost.r };
    // NFKC: the same characters typed on another keyboard are the same password (NIST SP 800-63B, 3.1.1.2).
    return await scryptAsync(password.normalize('NFKC'), salt, bytes, options);
  } finally {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }
}

function scryptAsync(password: string, salt: Buffer, bytes: number, options: ScryptOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, bytes, options, (error, key) => (error === null ? resolve(key) : reject(error)));
  });
}
