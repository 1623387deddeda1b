import { FEATURE_EXCLUDED } from '../../excluded.ts';
import { isObject } from '../json.ts';
import { objectSchema } from '../json-schema.ts';
import { checkUnknown, defineKey, type Key, type Keys } from '../key.ts';
import { memberName, memberOf, type Section, subsection, warnAt } from '../section.ts';
import { any, object } from '../types.ts';

const LOADS = 'would load code from another host; a warning reports it';
const GATES = 'applies to integrations, and an export does not load any';
const TELEMETRY =
  '`false`: the analytics of the platform count no reader of the site; otherwise it applies to integrations, and an export does not load any';

/** What an integration is for: it measures readers, lets them chat, or loads nothing by itself. */
type Purpose = 'analytics' | 'chat' | 'gate';

/** Forms of identifiers that are easily mixed up. */
const STARTS: Readonly<Record<string, string>> = {
  'ga4.measurementId': 'G',
  'gtm.tagId': 'G',
  'posthog.apiKey': 'phc_',
};

const scalar = any('text', { type: ['string', 'number', 'boolean'] });

/** An integration by what sets it up; it needs the first member. Its value is what it is for, or null if it is not set. */
function integration(service: string, purpose: Purpose, ...names: readonly string[]): Key<Purpose | null> {
  const facts =
    service === 'Telemetry' ? { note: TELEMETRY } : { noEffect: purpose === 'gate' ? GATES : LOADS };
  const members: Keys = Object.fromEntries(
    names.map((name) => [name, defineKey(`\`${name}\` of ${service}`, scalar, facts)]),
  );
  const type = { values: 'object', members, schema: () => objectSchema(members) };
  return {
    about: service,
    ...facts,
    type,
    read(section, key) {
      if (memberOf(section, key) === undefined) return null;
      const own = subsection(section, key);
      if (!isObject(section.value[key])) return null;
      checkUnknown(own, members);
      checkForms(own, key, names);
      return purpose;
    },
  };
}

function checkForms(own: Section, name: string, members: readonly string[]): void {
  const [first = ''] = members;
  if (own.value[first] === undefined)
    warnAt(own, undefined, 'config-value', `"${own.name}" needs "${first}".`);
  for (const member of members) {
    const value = own.value[member];
    const start = STARTS[`${name}.${member}`];
    if (start === undefined || typeof value !== 'string' || value.startsWith(start)) continue;
    warnAt(own, member, 'config-value', `"${memberName(own, member)}" must start with "${start}".`);
  }
}

const services = {
  adobe: integration('Adobe Analytics', 'analytics', 'launchUrl'),
  amplitude: integration('Amplitude', 'analytics', 'apiKey'),
  clarity: integration('Microsoft Clarity', 'analytics', 'projectId'),
  clearbit: integration('Clearbit', 'analytics', 'publicApiKey'),
  fathom: integration('Fathom', 'analytics', 'siteId'),
  frontchat: integration('Front Chat', 'chat', 'snippetId'),
  ga4: integration('Google Analytics 4', 'analytics', 'measurementId'),
  gtm: integration('Google Tag Manager', 'analytics', 'tagId'),
  heap: integration('Heap', 'analytics', 'appId'),
  hightouch: integration('Hightouch', 'analytics', 'writeKey', 'apiHost'),
  hotjar: integration('Hotjar', 'analytics', 'hjid', 'hjsv'),
  intercom: integration('Intercom', 'chat', 'appId'),
  koala: integration('Koala', 'analytics', 'publicApiKey'),
  logrocket: integration('LogRocket', 'analytics', 'appId'),
  mixpanel: integration('Mixpanel', 'analytics', 'projectToken', 'region'),
  onetrust: integration('OneTrust', 'analytics', 'domainScript', 'categoryId', 'scriptSource'),
  pirsch: integration('Pirsch', 'analytics', 'id'),
  plausible: integration('Plausible', 'analytics', 'domain', 'server'),
  posthog: integration('PostHog', 'analytics', 'apiKey', 'apiHost', 'sessionRecording'),
  segment: integration('Segment', 'analytics', 'key', 'cdnUrl'),
  telemetry: integration('Telemetry', 'gate', 'enabled'),
  transcend: integration('Transcend', 'analytics', 'bundleId', 'analyticsPurpose'),
  cookies: integration('Consent of readers', 'gate', 'key', 'value'),
};

/** What docs.json says about code of other hosts and about measuring readers. */
interface Integrations {
  /** Names of the integrations that would be loaded. */
  names: readonly string[];
  /** False if `telemetry.enabled` is false: nobody may measure readers, and neither does the platform. */
  isMeasuringAllowed: boolean;
}

/** Integrations that the export excludes are reported at their line. */
const loaded = object(services, (purposes, section): Integrations => {
  const { analytics } = section.excluded ?? {};
  const { telemetry } = section.value;
  const isMeasuringAllowed = !isObject(telemetry) || telemetry.enabled !== false;
  const names = Object.entries(purposes).flatMap(([name, purpose]) => {
    if (purpose === null || purpose === 'gate') return [];
    if (analytics === undefined || purpose === 'chat') return [name];
    warnAt(section, name, FEATURE_EXCLUDED, `"integrations.${name}" was removed. ${analytics}`);
    return [];
  });
  return { names, isMeasuringAllowed };
});

/** Key for code of other hosts: integrations are checked, and an export loads none of them. */
export const integrationKeys = {
  integrations: defineKey('Analytics and chats of other hosts', loaded, {
    finish(integrations, section, key) {
      const { names } = integrations;
      if (names.length === 0) return integrations;
      const shown = names.map((name) => `"integrations.${name}"`).join(', ');
      const message = `${shown} would load code from another host, which an exported site never does; ${names.length === 1 ? 'it has' : 'they have'} no effect.`;
      warnAt(section, key, 'config-no-effect', message);
      return integrations;
    },
  }),
};
