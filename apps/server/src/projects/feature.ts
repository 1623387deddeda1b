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
    'A hosted search service cannot be reached. The search inside an exported site needs no network and stays.',
  assistant: 'A model service cannot be reached from an air-gapped deployment.',
  analytics: 'An analytics service cannot be reached from an air-gapped deployment.',
};

const working: Record<FeatureName, (availability: Availability) => Resolved> = {
  search: () => ({ enabled: true, reason: 'Search is part of every exported site.' }),
  assistant: () => ({ enabled: false, reason: 'This installation has no assistant for readers.' }),
  analytics: () => ({ enabled: false, reason: 'This installation collects no data about readers.' }),
  playground: (availability) =>
    availability === 'configurable'
      ? { enabled: false, reason: 'Requests can only go to hosts inside the network, and none is set up.' }
      : { enabled: false, reason: 'API pages are exported as reference without a request form.' },
  'static-export': () => ({ enabled: true, reason: 'Included in the enterprise plan.' }),
};

function resolve(name: FeatureName, availability: Availability, plan: Plan): Resolved {
  if (availability === 'unavailable') {
    return { enabled: false, reason: offline[name] ?? 'Not available for this deployment type.' };
  }
  if (name === 'static-export' && plan !== 'enterprise') {
    return { enabled: false, reason: `Needs the enterprise plan; the organization has the ${plan} plan.` };
  }
  return working[name](availability);
}
