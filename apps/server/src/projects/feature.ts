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
}

/** The features of a project: every row of the table (specification, section 1) with its state and the reason. */
export function resolveFeatures(facts: FeatureFacts, plan: Plan): ProjectFeatures {
  return {
    deploymentType: facts.deploymentType,
    features: featureName.options.map((name) => {
      const availability = featureTable[name][facts.deploymentType];
      const state = resolve(name, availability, facts, plan);
      return {
        name,
        availability,
        enabled: state.status === 'enabled',
        switchable: availability === 'configurable' && facts.provided.has(name),
        ...state,
      };
    }),
  };
}

/** Why exports of the project leave features out; what is not named is in them as far as this version has it. */
export function excludedFeatures(facts: FeatureFacts): Excluded {
  return {
    ...leaveOut('search', facts),
    ...leaveOut('assistant', facts),
    ...leaveOut('analytics', facts),
  };
}

function leaveOut(name: 'search' | 'assistant' | 'analytics', facts: FeatureFacts): Excluded {
  const availability = featureTable[name][facts.deploymentType];
  if (availability === 'available') return {};
  const isProvided = facts.provided.has(name);
  if (isProvided && availability === 'configurable') {
    return facts.switches[name] === false ? { [name]: 'The feature is switched off for the project.' } : {};
  }
  // The search of an export asks no service, so nothing but a switch takes it out.
  if (name === 'search') return {};
  const reason =
    availability === 'unavailable'
      ? `The deployment type ${facts.deploymentType} excludes the feature.`
      : `The deployment type ${facts.deploymentType} leaves the feature to the installation, which does not provide it.`;
  return { [name]: reason };
}

/**
 * The switches of a project after a change. Throws the 400 for a feature that the deployment type does not leave to
 * the installation, or that the installation does not provide.
 */
export function switchFeatures(facts: FeatureFacts, body: UpdateProjectFeaturesBody): FeatureSwitches {
  const switches: Partial<Record<FeatureName, boolean>> = { ...facts.switches };
  for (const name of featureName.options) {
    const wanted = name === 'static-export' ? undefined : body[name];
    if (wanted === undefined) continue;
    const availability = featureTable[name][facts.deploymentType];
    if (availability !== 'configurable') {
      throw refused(
        name,
        `is ${availability} for the deployment type ${facts.deploymentType}, so it cannot be switched`,
      );
    }
    if (!facts.provided.has(name)) {
      throw refused(
        name,
        'depends on the installation, which does not provide it. An operator can name it in OFFPRINT_FEATURES',
      );
    }
    switches[name] = wanted;
  }
  return switches;
}

function refused(name: FeatureName, why: string): AppError {
  return new AppError('invalid_request', `/${name}: the feature ${why}.`, { param: `/${name}` });
}

const offline: Partial<Record<FeatureName, string>> = {
  search:
    'A hosted search service cannot be reached from an air-gapped deployment. Exported sites bring their own search, which works there too.',
  assistant:
    'A model service cannot be reached from an air-gapped deployment. Exports leave out links to assistants.',
  analytics:
    'An analytics service cannot be reached from an air-gapped deployment. Exports load no code of other hosts.',
};

/** What the deployment type allows but this version does not do. */
const planned: Partial<Record<FeatureName, string>> = {
  assistant: 'Planned: this version has no assistant for readers.',
  analytics: 'Planned: this version collects no data about readers.',
  playground: 'Planned: API pages have no request form yet.',
};

/** How a feature is delivered, where that is worth a word. */
const included: Partial<Record<FeatureName, string>> = {
  search:
    'Exported sites bring their own search index, so readers need no search service. A hosted one is planned.',
};

/** What stays true of exports where the installation does not provide a feature. */
const without: Partial<Record<FeatureName, string>> = {
  search: 'Exported sites bring their own search index all the same.',
  assistant: 'Exports leave out links to assistants.',
};

/** What a feature that is switched off does to exports. */
const off: Partial<Record<FeatureName, string>> = {
  search: 'Switched off for this project: its exports have no search.',
  assistant: 'Switched off for this project: its exports leave out links to assistants.',
};

type State = Pick<ProjectFeatures['features'][number], 'status' | 'reason'>;

function resolve(name: FeatureName, availability: Availability, facts: FeatureFacts, plan: Plan): State {
  if (availability === 'unavailable') {
    return { status: 'unavailable', reason: offline[name] ?? 'Not available for this deployment type.' };
  }
  const later = planned[name];
  if (availability === 'configurable') {
    if (!facts.provided.has(name)) {
      const reason = sentences(
        later,
        'It depends on the installation, which does not provide it: an operator names it in OFFPRINT_FEATURES.',
        without[name],
      );
      return { status: later === undefined ? 'disabled' : 'planned', reason };
    }
    if (facts.switches[name] === false) {
      return { status: 'disabled', reason: off[name] ?? 'Switched off for this project.' };
    }
  }
  if (later !== undefined) return { status: 'planned', reason: later };
  if (plan !== 'enterprise') {
    return {
      status: 'disabled',
      reason: `Needs the enterprise plan; the organization has the ${plan} plan.`,
    };
  }
  return { status: 'enabled', reason: included[name] ?? 'Included in the enterprise plan.' };
}

const sentences = (...parts: (string | undefined)[]): string =>
  parts.filter((part) => part !== undefined).join(' ');
