import { readFileSync } from 'node:fs';
import { assetPath } from '../assets.ts';
import { minifyCss } from '../theme/css.ts';
import { hashOf } from '../theme/hash.ts';
import { shorten, withoutComments } from '../theme/scripts.ts';
import { type ServiceName, type Services, serviceNames } from './services.ts';

/** What a service adds to the pages of a site: names of files in `client/`. */
interface ServiceParts {
  /** Script that every page loads after everything else. */
  script?: string;
  /** Rules that are added to the style sheet of the site. */
  style?: string;
}

const parts: Readonly<Record<ServiceName, ServiceParts>> = {
  analytics: { script: 'events.js', style: 'feedback.css' },
  assistant: {},
  // entries in the menu of pages only
  mcp: {},
};

interface ServiceScript {
  path: string;
  content(): string;
}

/** The scripts that pages load for their services, in the order of the names. */
export function serviceScripts(services: Services): ServiceScript[] {
  return enabled(services).flatMap(({ script }) => {
    if (script === undefined) return [];
    const full = fullServiceScript(script);
    const path = `_offprint/service-${script.replace(/\.js$/, '')}-${hashOf(full)}.js`;
    return [{ path, content: () => shorten(script, full) }];
  });
}

/** Rules of the services for the style sheet of the site; empty without a service. */
export function serviceStyles(services: Services): string {
  return enabled(services)
    .map(({ style }) => (style === undefined ? '' : minifyCss(read(style))))
    .join('');
}

/** Each script in its full form, by name: the build stores the short one. */
export function fullServiceScripts(): Record<string, string> {
  const names = serviceNames.flatMap((name) => parts[name].script ?? []);
  return Object.fromEntries(names.map((name) => [name, fullServiceScript(name)]));
}

const enabled = (services: Services): ServiceParts[] =>
  serviceNames.filter((name) => services[name]).map((name) => parts[name]);

const fullServiceScript = (name: string): string => `(() => {\n${withoutComments(read(name))}})();\n`;

const read = (name: string): string =>
  readFileSync(assetPath(`packages/render/src/services/client/${name}`), 'utf8');
