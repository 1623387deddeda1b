import { Resolver } from 'node:dns/promises';
import { isIPv6 } from 'node:net';
import type { HostAddress } from './host.ts';

/** Result of a lookup: values, none (a definite response), or an error that says nothing about the name. */
export type DnsAnswer =
  | { kind: 'values'; values: string[] }
  | { kind: 'none' }
  | { kind: 'failed'; reason: string };

/** Looks up names. Nothing rejects. */
export interface NameResolver {
  texts(name: string): Promise<DnsAnswer>;
  addresses(name: string): Promise<DnsAnswer>;
  /** For the guarded fetch. Rejects for a name without an address. */
  lookup(name: string): Promise<HostAddress[]>;
}

const TIMEOUT_MS = 3_000;
const TRIES = 2;
/** The name, or the record, does not exist. */
const NONE = ['ENOTFOUND', 'ENODATA'];

/** Asks `servers` (`address` or `address:port`); an empty list: the resolvers of the system. */
export function createResolver(servers: readonly string[]): NameResolver {
  const ask = async (run: (resolver: Resolver) => Promise<string[]>): Promise<DnsAnswer> => {
    // A resolver of its own for each lookup: cancelled lookups and changed system resolvers stay apart.
    const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
    if (servers.length > 0) resolver.setServers(servers);
    try {
      const values = await run(resolver);
      return values.length === 0 ? { kind: 'none' } : { kind: 'values', values };
    } catch (error) {
      const reason = codeOf(error);
      return NONE.includes(reason) ? { kind: 'none' } : { kind: 'failed', reason };
    }
  };
  const addresses = async (name: string): Promise<DnsAnswer> => {
    const answers = [
      await ask((resolver) => resolver.resolve4(name)),
      await ask((resolver) => resolver.resolve6(name)),
    ];
    const values = answers.flatMap((answer) => (answer.kind === 'values' ? answer.values : []));
    if (values.length > 0) return { kind: 'values', values };
    return answers.find(({ kind }) => kind === 'failed') ?? { kind: 'none' };
  };
  return {
    texts: (name) =>
      ask(async (resolver) => (await resolver.resolveTxt(name)).map((parts) => parts.join(''))),
    addresses,
    async lookup(name) {
      const answer = await addresses(name);
      if (answer.kind !== 'values') throw new Error(`The name ${name} has no IP address.`);
      return answer.values.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
    },
  };
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : 'unknown error';
}
