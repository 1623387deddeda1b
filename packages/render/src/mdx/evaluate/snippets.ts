import { components } from '../../components/index.ts';
import { notAComponent } from '../../islands/components.ts';
import { importReact, reactModules } from '../../islands/hooks.ts';
import type { Node, UserFunction, Value } from '../../tree.ts';
import { findImport, findSnippet, loadModule, type Module } from '../parse/modules.ts';
import type { SiteState } from '../state.ts';
import { exportsObject, instantiate, type ModuleHost } from './instantiate.ts';
import { type Resolver, reportRefusal } from './resolver.ts';
import type { Instance } from './run.ts';
import { browserOnly, isRecord, makeFunction, markMissing } from './values.ts';

/** Snippets that are open in each other at most. */
export const maxSnippetDepth = 40;

/** What module code of this page's files needs. */
export function moduleHost(resolver: Resolver): ModuleHost {
  return {
    run: resolver.run,
    importValue: (specifier, imported, local, from, line) =>
      importValue(resolver, specifier, imported, local, from, line),
    refuse: (error, outcome, file, line) => reportRefusal(resolver, error, outcome, file, line),
  };
}

function importValue(
  resolver: Resolver,
  specifier: string,
  imported: string,
  local: string,
  from: string,
  line: number,
): Value {
  const { site } = resolver;
  if (reactModules.has(specifier)) return importReact(imported, browserOnly);
  const file = findImport(specifier, from, site.source);
  if (file === null) {
    const isBuiltIn = Object.hasOwn(components, local);
    const reason = /^(?:\.|@?\/)|\.mdx?$/i.test(specifier)
      ? `\`${specifier}\` is not in the docs folder`
      : `\`${specifier}\` is a package; only files in the docs folder can be imported`;
    const outcome = isBuiltIn
      ? `The built-in \`${local}\` is used.`
      : `Content that uses \`${local}\` is removed.`;
    site.warn({ file: from, line, code: 'unresolved-import', message: `${reason}. ${outcome}` });
    // A name without a value is that of the built-in component.
    return isBuiltIn ? undefined : missingComponent;
  }
  site.imports.add(from, file);
  const instance = instanceOf(resolver, file, from, line);
  if (instance === null) return missingComponent;
  if (instance.module.broken) return missingComponent;
  if (imported === '*') return exportsObject(instance);
  if (instance.exports.has(imported)) return instance.exports.get(imported);
  if (imported === 'default' && instance.module.children !== null) return snippetComponent(instance);
  site.warn({
    file: from,
    line,
    code: 'unresolved-import',
    message: `\`${file}\` does not export \`${imported}\`.`,
  });
  return missingComponent;
}

/** Shows its children; the missing import has been reported. */
const missingComponent = markMissing(notAComponent(makeFunction(([props]) => childrenOf(props))));

function childrenOf(props: Value): Value {
  return isRecord(props) ? props.children : undefined;
}

/** A module after its code has run, once per site; null where it imports itself. */
function instanceOf(resolver: Resolver, file: string, from: string, line: number): Instance | null {
  const { site, run } = resolver;
  const known = site.instances.get(file);
  if (known !== undefined) return known;
  if (run.chain.includes(file)) {
    cycle(resolver, file, from, line);
    return null;
  }
  if (run.chain.length >= maxSnippetDepth) {
    const message = `Snippets import each other through more than ${maxSnippetDepth} files; deeper ones are removed.`;
    site.warn({ file: from, line, code: 'page-too-complex', message });
    return null;
  }
  const { pageNames } = run;
  run.chain.push(file);
  run.pageNames = null;
  try {
    const module = moduleOf(site, file);
    const instance = instantiate(module, moduleHost(resolver));
    // One that ran out of the steps of this page is complete on another.
    if (run.steps >= 0) site.instances.set(file, instance);
    return instance;
  } finally {
    run.chain.pop();
    run.pageNames = pageNames;
  }
}

function moduleOf(site: SiteState, file: string): Module {
  let module = site.modules.get(file);
  if (module === undefined) {
    module = loadModule(file, {
      source: site.source,
      variables: site.siteMap.config.variables,
      warn: site.warn,
    });
    site.modules.set(file, module);
  }
  return module;
}

function cycle(resolver: Resolver, file: string, from: string, line: number): void {
  const chain = [...resolver.run.chain.slice(resolver.run.chain.indexOf(file)), file].join(' -> ');
  resolver.site.warn({
    file: from,
    line,
    code: 'snippet-cycle',
    message: `This snippet includes itself and is removed here: ${chain}.`,
  });
}

/** The content of a snippet as a component; its props are names that the content sees. */
function snippetComponent(instance: Instance): UserFunction {
  return notAComponent(makeFunction(([props], run) => run.host.expandSnippet(instance, props)));
}

/** Remembers the file of nodes that are inserted into another file's tree, for the places of warnings. */
export function mark(site: SiteState, nodes: Node[], file: string): Node[] {
  for (const node of nodes) if (!site.origins.has(node)) site.origins.set(node, file);
  return nodes;
}

/** The snippet that `<Snippet file>` names, as a component; null with a warning when it does not exist. */
export function namedSnippet(
  name: string,
  from: string,
  line: number,
  resolver: Resolver,
): UserFunction | null {
  const { site } = resolver;
  const file = findSnippet(name, from, site.source);
  if (file !== null) site.imports.add(from, file);
  const instance = file === null ? null : instanceOf(resolver, file, from, line);
  if (instance !== null && instance.module.children !== null) return snippetComponent(instance);
  const message = `The snippet \`${name}\` is not in \`snippets/\` and is removed.`;
  site.warn({ file: from, line, code: 'unresolved-import', message });
  return null;
}
