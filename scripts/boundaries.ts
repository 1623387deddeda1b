/**
 * The import rules of ARCHITECTURE.md. Run as a script it prints every violation and exits with 1; test/boundaries.test.ts
 * tests the rules themselves.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'oxc-parser';
import { findCycles } from './cycles.ts';

export interface Rule {
  name: string;
  /** Files that the rule applies to, as paths from the root. */
  in: RegExp;
  /** Files it does not bind. */
  except?: RegExp;
  /** Import targets it forbids: a path from the root for files of the project, else the specifier. */
  forbid?: RegExp;
  /** Targets that are allowed all the same. */
  allow?: RegExp;
  /** Source text it forbids. */
  text?: RegExp;
  why: string;
}

const ANY_SOURCE = /^(apps|packages)\/[^/]+\/src\//;
const TEST = /\.test\.ts$|\/test\/|\.suite\.ts$|\.fixture\.ts$/;
/** Folders of the server that are not features. */
const NO_FEATURES = ['operation', 'platform', 'settings'];
const FEATURES = readdirSync(new URL('../apps/server/src', import.meta.url), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !NO_FEATURES.includes(entry.name))
  .map(({ name }) => name)
  .join('|');

export const rules: Rule[] = [
  {
    name: 'contract-is-a-leaf',
    in: /^packages\/contract\/src\//,
    forbid: /^(@offprint\/|offprint$|apps\/|packages\/(?!contract\/))/,
    why: 'everything depends on the contract; it depends on zod only',
  },
  {
    name: 'bundle-is-a-leaf',
    in: /^packages\/bundle\/src\//,
    except: TEST,
    forbid: /^(?!node:|packages\/bundle\/)/,
    why: 'the site server carries it, so it needs nothing but Node',
  },
  {
    name: 'search-is-a-leaf',
    in: /^packages\/search\/src\//,
    except: TEST,
    forbid: /^(?!packages\/search\/)/,
    why: 'browsers run its engine and the site server carries it, so it needs nothing at all',
  },
  {
    name: 'render-is-pure',
    in: /^packages\/render\/src\//,
    except: TEST,
    forbid:
      /^(node:(http|https|http2|net|tls|dgram|dns|child_process|worker_threads|cluster|vm|os|inspector)|@offprint\/|apps\/|packages\/(?!render\/)|pg|kysely|fastify)/,
    allow: /^@offprint\/(?:bundle\/policy|search(?:\/\w+)?)$/,
    why: 'hostile content passes through it: no network, no process, no database, nothing of the platform',
  },
  {
    name: 'render-is-deterministic',
    in: /^packages\/render\/src\/.*\.ts$/,
    except: TEST,
    text: /\b(Date\.now|new Date\(\)|Math\.random|process\.(env|hrtime|cwd)|performance\.now|localeCompare|(?<=\.)toLocale\w+)\b/,
    why: 'the same source gives the same bytes on every machine, day and locale',
  },
  {
    name: 'nothing-is-evaluated',
    in: /^(apps|packages)\/[^/]+\/src\/.*\.ts$/,
    except: TEST,
    text: /\b(eval\(|new Function\(|Function\()|from 'node:vm'/,
    why: "nothing of a user's is ever executed on the server",
  },
  {
    name: 'client-speaks-the-contract-only',
    in: /^packages\/client\/src\//,
    except: TEST,
    forbid: /^(apps\/|@offprint\/(?!contract)|packages\/(?!client\/|contract\/))/,
    why: 'a client knows the public interface and no more',
  },
  {
    name: 'site-knows-only-bundle-and-search',
    in: /^apps\/site\/src\//,
    except: TEST,
    forbid:
      /^(@offprint\/(?!bundle|search)|apps\/(?!site\/)|packages\/(?!(?:bundle|search)\/)|(?!node:|@offprint\/(?:bundle(?:\/make-folder)?|search)$|apps\/site\/)[a-z@])/,
    why: 'a deployment carries no renderer, no database and no storage client',
  },
  {
    name: 'platform-knows-no-feature',
    in: /^apps\/server\/src\/platform\//,
    except: TEST,
    forbid: new RegExp(`^apps/server/src/(${FEATURES})/`),
    why: 'features may import the platform, never the other way around',
  },
  {
    name: 'features-meet-at-the-service',
    in: new RegExp(`^apps/server/src/(${FEATURES})/`),
    except: TEST,
    forbid: new RegExp(`^apps/server/src/(${FEATURES})/(?!service\\.ts$)`),
    why: "a feature's store, job and routes are its own",
  },
  {
    name: 'server-does-not-call-itself',
    in: /^apps\/server\/src\//,
    except: TEST,
    forbid: /^(@offprint\/(client|site|dashboard)|offprint$|apps\/(?!server\/)|packages\/client\/)/,
    why: 'the worker never calls the API and the API never renders',
  },
  {
    name: 'processes-start-in-few-places',
    in: ANY_SOURCE,
    except: new RegExp(
      `${TEST.source}|^apps/server/src/platform/(sandbox|git|db/embedded)/|^apps/cli/src/(dev/open-browser|publish/helm-program)\\.ts$`,
    ),
    forbid: /^node:(child_process|cluster)$/,
    why: 'code that starts a process must drop its privileges; only the sandbox, git and the embedded database do; a preview may open the browser, and publishing runs helm',
  },
  {
    name: 'network-goes-out-in-two-places',
    in: ANY_SOURCE,
    except: new RegExp(
      `${TEST.source}|^apps/server/src/platform/net/|^packages/client/|^apps/dashboard/|^apps/site/src/source/|^apps/cli/src/(publish/site|process/listening)\\.ts$|/(theme|components|playground)/client/|^packages/render/src/reference/samples/`,
    ),
    text: /(?<![\w.'`])fetch\(|\b(https?|http2)\.(request|get)\(|\bnew WebSocket\(/,
    why: 'outbound requests pass the address guard of platform/net, are those of the client, fetch and hand over the bundle of a deployment, or ask a port in use on this machine whether Offprint responds there',
  },
  {
    name: 'environment-is-read-once',
    in: /^(apps|packages)\/[^/]+\/src\/.*\.ts$/,
    except: new RegExp(`${TEST.source}|/src/config\\.ts$`),
    text: /\bprocess\.env\b/,
    why: 'settings are validated in config.ts and passed on',
  },
  {
    name: 'files-are-found-in-one-place',
    in: /^(apps\/(server|cli)|packages\/\w+)\/src\/.*\.ts$/,
    except: TEST,
    text: /new URL\('[^']*', import\.meta\.(url|resolve)/,
    why: 'compiled into a package, a module is in another folder: assetPath() and packageFile() find files in both',
  },
  {
    name: 'arguments-are-read-by-main',
    in: /^(apps|packages)\/[^/]+\/src\/.*\.ts$/,
    except: new RegExp(`${TEST.source}|/src/main\\.ts$`),
    text: /\bprocess\.argv\b/,
    why: 'only one file per program reads its arguments',
  },
  {
    name: 'folders-are-made-in-one-place',
    in: /^(apps\/(server|cli|site)|packages\/bundle)\/src\/.*\.ts$/,
    except: TEST,
    text: /\bmkdir(?:Sync)?\([^;]*?\brecursive: true/,
    why: 'the option recursive of Node never returns in folders such as /proc: use @offprint/bundle/make-folder',
  },
  {
    name: 'tests-read-elements',
    in: /^packages\/render\/.*\.test\.ts$/,
    // Private classes and reserved names are the subject of these.
    except: /\/(class|reserved)-names\.test\.ts$/,
    text: /\.(?:toMatch|toContain|stringMatching|stringContaining|match|matchAll)\(\s*(?:new RegExp\(\s*)?[/'"`](?:\^?<\\?\/?[a-z]|[^\n]*?(?:\bclass=|(?<![.\w-])op-[a-z]))|\/\^?<\\?\/?[a-z](?:\\.|[^/\n])*\/\w*\.exec\(/,
    why: 'a change of markup must not break tests: use the queries of packages/render/test/dom.ts, and where the bytes are the guarantee, name them in a constant',
  },
];

export interface Breach {
  rule: string;
  file: string;
  line: number;
  what: string;
  why: string;
}

/** Breaches of one file. `path` from the root, with slashes. */
export function checkFile(path: string, text: string): Breach[] {
  const bound = rules.filter((rule) => rule.in.test(path) && !rule.except?.test(path));
  if (bound.length === 0) return [];
  const breaches: Breach[] = [];
  const report = (rule: Rule, offset: number, what: string) => {
    breaches.push({
      rule: rule.name,
      file: path,
      line: lineOf(text, offset),
      what,
      why: rule.why,
    });
  };
  for (const found of importsOf(path, text)) {
    for (const rule of bound) {
      if (!rule.forbid?.test(found.target) || rule.allow?.test(found.target)) continue;
      if (rule.name === 'features-meet-at-the-service' && sameFeature(path, found.target)) continue;
      report(rule, found.offset, `imports ${found.target}`);
    }
  }
  const code = withoutComments(path, text);
  for (const rule of bound) {
    const match = rule.text?.exec(code);
    if (match) report(rule, match.index, `says ${match[0]}`);
  }
  return breaches;
}

/**
 * Circular imports among sources by path, imports of types included: files that import each other cannot be read, tested
 * or moved one by one. `packages` has the path of each import by package name.
 */
export function checkCycles(
  sources: ReadonlyMap<string, string>,
  packages: ReadonlyMap<string, string> = new Map(),
): Breach[] {
  const found = new Map([...sources].map(([path, text]) => [path, importsOf(path, text)]));
  const pathOf = ({ target }: Import): string => packages.get(target) ?? target;
  const imports = new Map([...found].map(([path, all]) => [path, all.map(pathOf)]));
  return findCycles(imports).map((cycle) => {
    const [file = '', next = ''] = cycle;
    const offset = found.get(file)?.find((each) => pathOf(each) === next)?.offset ?? 0;
    return {
      rule: 'no-circular',
      file,
      line: lineOf(sources.get(file) ?? '', offset),
      what: `imports itself: ${cycle.join(' -> ')}`,
      why: 'move what these files share to one that imports none of them, or pass it as a parameter',
    };
  });
}

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

function sameFeature(path: string, target: string): boolean {
  return path.split('/')[3] === target.split('/')[3];
}

interface Import {
  target: string;
  offset: number;
}

function importsOf(path: string, text: string): Import[] {
  const { module } = parseSync(path, text);
  const found: Import[] = module.staticImports.map((entry) => ({
    target: resolve(path, entry.moduleRequest.value),
    offset: entry.start,
  }));
  for (const entry of module.staticExports.flatMap((statement) => statement.entries)) {
    if (entry.moduleRequest)
      found.push({ target: resolve(path, entry.moduleRequest.value), offset: entry.start });
  }
  for (const entry of module.dynamicImports) {
    const specifier = text.slice(entry.moduleRequest.start, entry.moduleRequest.end);
    if (/^['"`]/.test(specifier))
      found.push({ target: resolve(path, specifier.slice(1, -1)), offset: entry.start });
  }
  return found;
}

function resolve(from: string, specifier: string): string {
  return specifier.startsWith('.') ? join(dirname(from), specifier).split(sep).join('/') : specifier;
}

/** Comments as blanks, so that offsets and lines stay. */
function withoutComments(path: string, text: string): string {
  const { comments } = parseSync(path, text);
  let code = text;
  for (const comment of comments) {
    const blank = text.slice(comment.start, comment.end).replace(/[^\n]/g, ' ');
    code = code.slice(0, comment.start) + blank + code.slice(comment.end);
  }
  return code;
}

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const MAX_LINES = 600;

/** Breaches of the whole checkout. */
export function checkTree(): Breach[] {
  const sources = readSources();
  const breaches = checkCycles(sources, packageFiles());
  for (const [path, text] of sources) {
    if (!/\.tsx?$/.test(path)) continue;
    breaches.push(...checkFile(path, text));
    const lines = text.split('\n').length;
    if (lines > MAX_LINES && !TEST.test(path)) {
      breaches.push({
        rule: 'files-stay-small',
        file: path,
        line: MAX_LINES,
        what: `has ${lines} lines`,
        why: `no file is longer than ${MAX_LINES} lines`,
      });
    }
  }
  return breaches;
}

/** Texts of all modules of the packages and programs, by path from the root. */
function readSources(): Map<string, string> {
  const sources = new Map<string, string>();
  for (const folder of ['apps', 'packages']) {
    for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !/\.(?:tsx?|m?js)$/.test(entry.name)) continue;
      const file = join(entry.parentPath, entry.name);
      const path = relative(root, file).split(sep).join('/');
      if (!/\/(?:node_modules|dist)\//.test(path)) sources.set(path, readFileSync(file, 'utf8'));
    }
  }
  return sources;
}

/** Paths of what the packages export, by the name under which others import it. */
function packageFiles(): Map<string, string> {
  const files = new Map<string, string>();
  for (const folder of ['apps', 'packages']) {
    for (const name of readdirSync(join(root, folder))) {
      const description = join(root, folder, name, 'package.json');
      if (!existsSync(description)) continue;
      const text = readFileSync(description, 'utf8');
      const { name: own, exports = {} }: { name: string; exports?: Record<string, string> } =
        JSON.parse(text);
      for (const [key, file] of Object.entries(exports))
        files.set(own + key.slice(1), join(folder, name, file).split(sep).join('/'));
    }
  }
  return files;
}

if (import.meta.main) {
  const breaches = checkTree();
  for (const { rule, file, line, what, why } of breaches) {
    process.stderr.write(`${file}:${line}: ${what} (${rule}: ${why})\n`);
  }
  process.exitCode = breaches.length > 0 ? 1 : 0;
}
