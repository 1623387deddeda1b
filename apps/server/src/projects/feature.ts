import {
  type Availability,
  type DeploymentType,
  type FeatureName,
  featureName,
  featureTable,
  type Plan,
  type ProjectFeatures,
} from '@offprint/contract';

/** The features of a project under its deployment type and its organization's plan (specification, section 1). */
export function resolveFeatures(deploymentType: DeploymentType, plan: Plan): ProjectFeatures {
  return {
    deploymentType,
    features: featureName.options.map((name) => {
      const availability = featureTable[name][deploymentType];
      return { name, availability, ...resolve(name, availability, plan) };
    }),
  };
}

type Resolved = Omit<ProjectFeatures['features'][number], 'name' | 'availability'>;

const offline: Partial<Record<FeatureName, string>> = {
  search:
    'A hosted search service cannot be reached from an air-gapped deployment. Exported sites bring their own search, which works there too.',
  assistant: 'A model service cannot be reached from an air-gapped deployment.',
  analytics: 'An analytics service cannot be reached from an air-gapped deployment.',
};

/** What the deployment type allows but this version does not do. */
const planned: Partial<Record<FeatureName, string>> = {
  assistant: 'Planned: this version has no assistant for readers.',
  analytics: 'Planned: this version collects no data about readers.',
  playground: 'Planned: API pages have no request form yet.',
};

/** How a feature is delivered, where that is worth a word. */
const included: Partial<Record<FeatureName, string>> = {
  search: 'Exported sites bring their own search index, so readers need no search service.',
};

function resolve(name: FeatureName, availability: Availability, plan: Plan): Resolved {
  if (availability === 'unavailable') {
    return {
      enabled: false,
      status: 'unavailable',
      switchable: false,
      reason: offline[name] ?? 'Not available for this deployment type.',
    };
  }
  const reason = planned[name];
  if (reason !== undefined) return { enabled: false, status: 'planned', switchable: false, reason };
  if (plan !== 'enterprise') {
    return {
      enabled: false,
      status: 'disabled',
      switchable: false,
      reason: `Needs the enterprise plan; the organization has the ${plan} plan.`,
    };
  }
  return {
    enabled: true,
    status: 'enabled',
    switchable: false,
    reason: included[name] ?? 'Included in the enterprise plan.',
  };
}
