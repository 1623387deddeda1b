import { type Excluded, FEATURE_EXCLUDED } from '../excluded.ts';
import { isObject } from './json.ts';
import { checkMembers, memberName, type Section, subsection, warnAt } from './section.ts';

/** Integrations of the format and what each is set up by; the first member is what it cannot do without. */
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  adobe: ['launchUrl'],
  amplitude: ['apiKey'],
  clarity: ['projectId'],
  clearbit: ['publicApiKey'],
  fathom: ['siteId'],
  frontchat: ['snippetId'],
  ga4: ['measurementId'],
  gtm: ['tagId'],
  heap: ['appId'],
  hightouch: ['writeKey', 'apiHost'],
  hotjar: ['hjid', 'hjsv'],
  intercom: ['appId'],
  koala: ['publicApiKey'],
  logrocket: ['appId'],
  mixpanel: ['projectToken', 'region'],
  onetrust: ['domainScript', 'categoryId', 'scriptSource'],
  pirsch: ['id'],
  plausible: ['domain', 'server'],
  posthog: ['apiKey', 'apiHost', 'sessionRecording'],
  segment: ['key', 'cdnUrl'],
  telemetry: ['enabled'],
  transcend: ['bundleId', 'analyticsPurpose'],
  cookies: ['key', 'value'],
};

/** Settings that load nothing by themselves. */
const GATES: ReadonlySet<string> = new Set(['telemetry', 'cookies']);

/** Forms of identifiers that are easily mixed up. */
const FORMS: Readonly<Record<string, RegExp>> = {
  'ga4.measurementId': /^G/,
  'gtm.tagId': /^G/,
  'posthog.apiKey': /^phc_/,
};

/** What lets readers talk to somebody, measures nothing. */
const CHATS: ReadonlySet<string> = new Set(['frontchat', 'intercom']);

/**
 * `integrations`: warns about unknown and invalid integrations, and once that an export loads none of them. If the
 * export excludes analytics, each integration that measures readers is reported at its line.
 */
export function checkIntegrations(root: Section, excluded: Excluded = {}): void {
  const section = subsection(root, 'integrations');
  checkMembers(section, Object.keys(MEMBERS));
  for (const [name, members] of Object.entries(MEMBERS)) {
    if (section.value[name] === undefined || section.value[name] === null) continue;
    const integration = subsection(section, name);
    if (!isObject(section.value[name])) continue;
    checkMembers(integration, members);
    checkForms(integration, name, members);
  }
  const { analytics } = excluded;
  const isExcluded = (name: string): boolean => analytics !== undefined && !CHATS.has(name);
  const set = Object.keys(MEMBERS).filter((name) => isObject(section.value[name]) && !GATES.has(name));
  for (const name of set.filter(isExcluded)) {
    warnAt(section, name, FEATURE_EXCLUDED, `"integrations.${name}" was removed. ${analytics}`);
  }
  const loaded = set.filter((name) => !isExcluded(name));
  if (loaded.length === 0) return;
  const message = `${loaded.map((name) => `"integrations.${name}"`).join(', ')} would load code from another host, which an exported site never does; ${loaded.length === 1 ? 'it has' : 'they have'} no effect.`;
  warnAt(root, 'integrations', 'config-no-effect', message);
}

function checkForms(integration: Section, name: string, members: readonly string[]): void {
  const [first = ''] = members;
  if (integration.value[first] === undefined) {
    warnAt(integration, undefined, 'config-value', `"${integration.name}" needs "${first}".`);
  }
  for (const member of members) {
    const value = integration.value[member];
    const form = FORMS[`${name}.${member}`];
    if (form === undefined || typeof value !== 'string' || form.test(value)) continue;
    const start = form.source.slice(1);
    warnAt(
      integration,
      member,
      'config-value',
      `"${memberName(integration, member)}" must start with "${start}".`,
    );
  }
}
