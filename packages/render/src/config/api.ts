import type { ApiConfig } from '../site.ts';
import type { SourceTree } from '../source.ts';
import { isObject } from './json.ts';
import { resolvePath } from './reference.ts';
import { checkMembers, choice, flag, type Section, subsection, text, texts, warnAt } from './section.ts';

/** `api`: descriptions and how pages of the API reference look. */
export function readApi(root: Section, source: SourceTree): ApiConfig {
  const api = subsection(root, 'api');
  checkMembers(api, [
    'openapi',
    'asyncapi',
    'playground',
    'params',
    'url',
    'examples',
    'mdx',
    'auth',
    'baseUrl',
  ]);
  warnAsyncapi(api);
  const mdx = subsection(api, 'mdx');
  checkMembers(mdx, ['server', 'auth']);
  const overlays = new Map<string, readonly string[]>();
  const directories = new Map<string, string>();
  return {
    openapi: readDescriptions(api, source, overlays, directories),
    overlays,
    directories,
    servers: texts(mdx, 'server'),
    auth: readAuth(mdx),
    playground: readPlayground(api),
    params: readParams(api),
    fullUrl: choice(api, 'url', ['full']) === 'full',
    examples: readExamples(api),
  };
}

function warnAsyncapi(api: Section): void {
  const { asyncapi } = api.value;
  if (asyncapi === undefined || asyncapi === null || asyncapi === false) return;
  const message =
    '"api.asyncapi" creates no pages in an export. Write the pages and list them under "pages".';
  warnAt(api, 'asyncapi', 'unsupported-source', message);
}

function readAuth(mdx: Section): ApiConfig['auth'] {
  const auth = subsection(mdx, 'auth');
  checkMembers(auth, ['method', 'name', 'inputPrefix']);
  const method = choice(auth, 'method', ['bearer', 'basic', 'key', 'cobo', 'none']);
  return method === null ? null : { method, name: text(auth, 'name') };
}

function readPlayground(api: Section): ApiConfig['playground'] {
  const playground = subsection(api, 'playground');
  checkMembers(playground, ['display', 'proxy', 'credentials']);
  return {
    display: choice(playground, 'display', ['interactive', 'simple', 'none', 'auth']) ?? 'interactive',
    proxy: flag(playground, 'proxy') ?? true,
    credentials: flag(playground, 'credentials') ?? false,
  };
}

function readParams(api: Section): ApiConfig['params'] {
  const params = subsection(api, 'params');
  checkMembers(params, ['expanded', 'post']);
  return { expanded: choice(params, 'expanded', ['all', 'closed']), post: texts(params, 'post') };
}

function readExamples(api: Section): ApiConfig['examples'] {
  const examples = subsection(api, 'examples');
  checkMembers(examples, ['languages', 'defaults', 'prefill', 'autogenerate']);
  return {
    languages: texts(examples, 'languages'),
    defaults: choice(examples, 'defaults', ['required', 'all']) ?? 'all',
    prefill: flag(examples, 'prefill') ?? false,
    autogenerate: flag(examples, 'autogenerate') ?? true,
  };
}

/** Local files of `api.openapi`: a path, a list of them, or `{source, directory, overlays}`; a folder is its files. */
function readDescriptions(
  api: Section,
  source: SourceTree,
  overlays: Map<string, readonly string[]>,
  directories: Map<string, string>,
): string[] {
  const written = api.value.openapi;
  const list = Array.isArray(written) ? written : written === undefined || written === null ? [] : [written];
  const found: string[] = [];
  for (const item of list) {
    const path = isObject(item) ? item.source : item;
    const files = typeof path === 'string' ? findFiles(api, source, path) : warnShape(api);
    found.push(...files);
    if (!isObject(item)) continue;
    const own = texts({ ...api, name: 'api.openapi', value: item }, 'overlays');
    for (const file of files) {
      if (own.length > 0)
        overlays.set(
          file,
          own.flatMap((overlay) => findFiles(api, source, overlay)),
        );
      if (typeof item.directory === 'string') directories.set(file, item.directory);
    }
  }
  return [...new Set(found)];
}

function warnShape(api: Section): string[] {
  const message = '"api.openapi" must be a path, a list of paths or {"source": path}.';
  warnAt(api, 'openapi', 'config-type', message);
  return [];
}

function findFiles(api: Section, source: SourceTree, path: string): string[] {
  const shown = JSON.stringify(path.slice(0, 200));
  if (/^https?:/i.test(path)) {
    const message = `${shown} was not downloaded. Add the file to the docs folder and use its path.`;
    warnAt(api, 'openapi', 'remote-description', message);
    return [];
  }
  const file = resolvePath('', path.trim());
  if (file !== null && source.has(file)) return [file];
  const inside = file === null ? [] : source.paths.filter((name) => name.startsWith(`${file}/`));
  if (inside.length > 0) return inside.filter((name) => /\.(json|ya?ml)$/i.test(name));
  const message = `The API description ${shown} does not exist. Correct the path in "api.openapi".`;
  warnAt(api, 'openapi', 'description-missing', message);
  return [];
}
