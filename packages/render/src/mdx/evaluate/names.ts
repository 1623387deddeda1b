import { react } from '../../islands/hooks.ts';
import type { Value } from '../../tree.ts';
import { charge } from '../guard/work.ts';
import { globalValues } from './built-ins.ts';
import type { Context, Scope } from './run.ts';
import { emptyObject, isBrowserOnly, Refusal } from './values.ts';

/** Scopes that one step looks through. */
const scopesPerStep = 8;

/** What a scope or one around it gives a name, or else the page; null when none has it. */
export function lookUp(
  name: string,
  { scope, run }: Pick<Context, 'scope' | 'run'>,
): { value: Value } | null {
  let passed = 0;
  for (let at: Scope | null = scope; at !== null; at = at.parent) {
    if (at.names.has(name)) return { value: at.names.get(name) };
    if (++passed % scopesPerStep === 0) charge(run, 1);
  }
  return run.pageNames?.has(name) ? { value: run.pageNames.get(name) } : null;
}

/** The scope that has a name. Throws Refusal when none has. */
export function ownerOf(name: string, offset: number, context: Context): Scope {
  let owner: Scope | null = context.scope;
  while (owner !== null && !owner.names.has(name)) {
    owner = owner.parent;
    charge(context.run, 1);
  }
  if (owner === null) throw unknownName(name, offset);
  return owner;
}

/** The value of a name where it is used. Throws Refusal for one that has none. */
export function valueOfName(name: string, offset: number, context: Context): Value {
  const found = lookUp(name, context);
  if (found !== null) {
    if (isBrowserOnly(found.value)) throw clientOnly(name, offset);
    return found.value;
  }
  if (name === 'undefined') return undefined;
  if (name === 'NaN') return Number.NaN;
  if (name === 'Infinity') return Number.POSITIVE_INFINITY;
  // MDX gives every page its properties, of which a site sets none.
  if (name === 'user' || name === 'props') return emptyObject();
  const known = globalValues.get(name) ?? reactValue(name);
  if (known !== undefined) return known;
  throw unknownName(name, offset);
}

/** Hooks need no import, and all of React has a name. */
export function reactValue(name: string): Value {
  if (name === 'React') return react;
  return name.startsWith('use') ? react[name] : undefined;
}

const clientNames = new Set([
  'window',
  'document',
  'navigator',
  'location',
  'history',
  'localStorage',
  'sessionStorage',
  'fetch',
  'console',
  'setTimeout',
  'setInterval',
  'clearTimeout',
  'clearInterval',
  'requestAnimationFrame',
  'globalThis',
  'Date',
  'Intl',
  'Promise',
  'URL',
  'URLSearchParams',
  'Map',
  'Set',
  'RegExp',
  'Symbol',
  'crypto',
  'performance',
  'alert',
  'eval',
  'Function',
  'Reflect',
  'Proxy',
  'XMLHttpRequest',
  'WebSocket',
]);

function clientOnly(name: string, offset: number): Refusal {
  return new Refusal('client', `\`${name}\` exists in the browser only`, offset);
}

/** Why a name has no value. */
export function unknownName(name: string, offset: number): Refusal {
  if (clientNames.has(name)) return clientOnly(name, offset);
  return new Refusal('unknown-name', `\`${name}\` is not defined`, offset);
}
