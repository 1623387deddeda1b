import {
  type Availability,
  type DeploymentType,
  type FeatureName,
  featureName,
  featureTable,
  type Plan,
  type ProjectFeatures,
  type UpdateProjectFeaturesBody,
} from '@offprint/contract';
import type { Excluded } from '@offprint/render';
import { AppError } from '../platform/http/error.ts';

/** Switches of a project, by name; what is not there is on. */
export type FeatureSwitches = Readonly<Partial<Record<FeatureName, boolean>>>;

/** What decides the features of a project. */
export interface FeatureFacts {
  deploymentType: DeploymentType;
  /** Configurable features that the installation provides (OFFPRINT_FEATURES). */
  provided: ReadonlySet<string>;
  switches: FeatureSwitches;
  /** Features that need a service of the installation, and that it has set up. */
  services: ReadonlySet<FeatureName>;
  /** What the project itself lacks for a service, such as a model. */
  missing?: Partial<Record<FeatureName, string>>;
}

/** What decides about exports: services make no difference to them. */
type ExportFacts = Omit<FeatureFacts, 'services' | 'missing'>;

/** The features of a project: every row of the table (specification, section 1) with its state and the reason. */
export function resolveFeatures(facts: FeatureFacts, plan: Plan): ProjectFeatures {
  return {
    deploymentType: facts.deploymentType,
    features: featureName.options.map((name) => {
      const availability = featureTable[name][facts.deploymentType];
      const switchable = isSwitchable(name, facts);
      const state = resolve(name, availability, facts, plan);
      return {
        name,
        availability,
        enabled: state.status === 'enabled',
        inExport: plan === 'enterprise' && isInExport(name, facts),
        switchable,
        switchedOff: switchable && facts.switches[name] === false,
        ...state,
      };
    }),
  };
}

/** Why exports of the project leave features out; what is not named is in them as far as this version has it. */
export function excludedFeatures(facts: ExportFacts): Excluded {
  return {
    ...leaveOut('search', facts),
    ...leaveOut('assistant', facts),
    ...leaveOut('analytics', facts),
    ...leaveOut('playground', facts),
  };
}

function leaveOut(name: keyof Excluded, facts: ExportFacts): Excluded {
  const availability = featureTable[name][facts.deploymentType];
  if (availability === 'available' && !alwaysSwitchable.has(name)) return {};
  if (isSwitchable(name, facts)) {
    return facts.switches[name] === false ? { [name]: 'The feature is disabled for the project.' } : {};
  }
  // The search of an export asks no service, so nothing but a switch takes it out.
  if (name === 'search') return {};
  const reason =
    availability === 'unavailable'
      ? `The deployment type ${facts.deploymentType} excludes the feature.`
      : 'This installation does not provide the feature. An operator can add it to OFFPRINT_FEATURES.';
  return { [name]: reason };
}

/** Features that exports have without a service of the installation. */
const builtIn: ReadonlySet<FeatureName> = new Set(['search', 'playground']);

/** What the manifest of an export may say in `features`: no service, but what is built in. */
function isInExport(name: FeatureName, facts: ExportFacts): boolean {
  if (name === 'static-export') return true;
  return (name === 'search' || name === 'playground') && leaveOut(name, facts)[name] === undefined;
}

/** Features that a project can switch off wherever the table allows them: the team that publishes decides about measuring. */
const alwaysSwitchable: ReadonlySet<FeatureName> = new Set(['analytics']);

/** What is built in needs nothing of the installation to be switched. */
function isSwitchable(name: FeatureName, { deploymentType, provided }: ExportFacts): boolean {
  const availability = featureTable[name][deploymentType];
  if (availability === 'available') return alwaysSwitchable.has(name);
  return availability === 'configurable' && (builtIn.has(name) || provided.has(name));
}

/** Whether site servers count the readers of the project, as far as docs.json does not refuse it. */
export function isMeasured(facts: FeatureFacts): boolean {
  return (
    facts.services.has('analytics') &&
    featureTable.analytics[facts.deploymentType] !== 'unavailable' &&
    isSwitchable('analytics', facts) &&
    facts.switches.analytics !== false
  );
}

/**
 * The switches of a project after a change. Throws the 400 for a feature that the deployment type does not leave open,
 * or that needs what the installation does not provide.
 */
export function switchFeatures(facts: ExportFacts, body: UpdateProjectFeaturesBody): FeatureSwitches {
  const switches: Partial<Record<FeatureName, boolean>> = { ...facts.switches };
  for (const name of featureName.options) {
    const wanted = name === 'static-export' ? undefined : body[name];
    if (wanted === undefined) continue;
    const availability = featureTable[name][facts.deploymentType];
    if (availability !== 'configurable' && !isSwitchable(name, facts)) {
      throw refused(
        name,
        `is ${availability} for the deployment type ${facts.deploymentType}, so it cannot be changed`,
      );
    }
    if (!isSwitchable(name, facts)) {
      throw refused(
        name,
        'depends on the installation, which does not provide it. An operator can add it to OFFPRINT_FEATURES',
      );
    }
    switches[name] = wanted;
  }
  return switches;
}

function refused(name: FeatureName, why: string): AppError {
  return new AppError('invalid_request', `/${name}: the feature ${why}.`, { param: `/${name}` });
}

/** Why the platform offers no service of a feature for a project, whatever is installed; null if it may. */
export function exclusionOf(
  name: FeatureName,
  { deploymentType, switches }: Pick<FeatureFacts, 'deploymentType' | 'switches'>,
): string | null {
  const availability = featureTable[name][deploymentType];
  if (availability === 'unavailable') return offline[name] ?? 'Not available for this deployment type.';
  const isOff = availability === 'configurable' && switches[name] === false;
  return isOff ? (off[name] ?? 'Disabled for this project.') : null;
}

const offline: Partial<Record<FeatureName, string>> = {
  search: 'An air-gapped deployment does not use a hosted search.',
  assistant: 'An air-gapped deployment does not use a model service. Exports exclude links to assistants.',
  analytics:
    'An air-gapped deployment does not use an analytics service. Exports load no code from other hosts.',
};

/** What a feature that is switched off does to exports. */
const off: Partial<Record<FeatureName, string>> = {
  search: 'Disabled for this project: its exports have no search.',
  assistant: 'Disabled for this project: its exports exclude links to assistants.',
  playground: 'Disabled for this project: its API pages have no form to send requests.',
  analytics: 'Disabled for this project: nothing about its readers is counted.',
};

/** What a feature needs that the installation does not have. */
const missingService: Partial<Record<FeatureName, string>> = {
  search:
    'Searches the sites that this installation serves, and it serves none: an operator can set OFFPRINT_HOSTING_TOKEN.',
  assistant:
    'Responds to readers of the sites that this installation serves, and it serves none: an operator can set OFFPRINT_HOSTING_TOKEN.',
  analytics:
    'Counts readers of the sites that this installation serves, and it serves none: an operator can set OFFPRINT_HOSTING_TOKEN.',
};

type State = Pick<ProjectFeatures['features'][number], 'status' | 'reason'>;

function resolve(name: FeatureName, availability: Availability, facts: FeatureFacts, plan: Plan): State {
  const search = name === 'search' ? builtInSearch(facts, plan) : undefined;
  if (availability === 'unavailable') {
    const reason = offline[name] ?? 'Not available for this deployment type.';
    return { status: 'unavailable', reason: sentences(reason, search) };
  }
  if (isSwitchable(name, facts) && facts.switches[name] === false) {
    return { status: 'disabled', reason: off[name] ?? 'Disabled for this project.' };
  }
  if (availability === 'configurable' && !isSwitchable(name, facts)) {
    const reason = sentences(
      'Depends on the installation, which does not provide it: an operator can add it to OFFPRINT_FEATURES.',
      name === 'assistant' ? 'Exports exclude links to assistants.' : undefined,
    );
    return { status: 'disabled', reason };
  }
  const missing = facts.services.has(name) ? facts.missing?.[name] : missingService[name];
  if (missing !== undefined) {
    const linked = name === 'assistant' ? 'Exports may link to assistants of other hosts.' : undefined;
    return { status: 'disabled', reason: sentences(missing, search, linked) };
  }
  if (plan !== 'enterprise')
    return { status: 'disabled', reason: `Requires the enterprise plan; ${has(plan)}.` };
  return { status: 'enabled', reason: 'Included in the enterprise plan.' };
}

function builtInSearch(facts: FeatureFacts, plan: Plan): string {
  if (plan !== 'enterprise')
    return `Exports have a built-in search; they require the enterprise plan, and ${has(plan)}.`;
  const way = isSwitchable('search', facts) ? ', and which the project can disable' : '';
  return `Exports have a built-in search, which uses no service${way}.`;
}

const has = (plan: Plan): string => `the organization has the ${plan} plan`;

const sentences = (...parts: (string | undefined)[]): string =>
  parts.filter((part) => part !== undefined).join(' ');
