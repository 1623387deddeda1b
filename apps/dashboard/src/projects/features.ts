import {
  type Availability,
  type DeploymentType,
  type FeatureName,
  type FeatureStatus,
  featureTable,
  type ProjectFeatures,
} from '@offprint/contract';

/**
 * Features in the words of people. `service`: what the deployment type decides about, where that is not all of the
 * feature; `part`: what exports have of it.
 */
export const FEATURES: Readonly<Record<FeatureName, { label: string; service?: string; part?: string }>> = {
  search: { label: 'Search', service: 'Hosted search', part: 'Built in' },
  assistant: { label: 'AI assistant', part: 'Links' },
  analytics: { label: 'Web analytics' },
  playground: { label: 'API playground (“Try it”)' },
  'static-export': { label: 'Static export' },
};

type Feature = ProjectFeatures['features'][number];

/**
 * What exports have of a feature of a project, for people; null: nothing that has a name. `features`: all of the
 * project. `isOn`: where its switch stands, if it has one.
 */
export function partInExports(
  feature: Feature,
  features: readonly Feature[],
  isOn = !feature.switchedOff,
): string | null {
  const { name, inExport, availability, switchable } = feature;
  const hasExports = features.some((one) => one.name === 'static-export' && one.inExport);
  // Links to assistants of other hosts are no feature of their own: they are in where nothing excludes them.
  const isAllowed = name === 'assistant' ? availability === 'available' : inExport;
  return (hasExports && (switchable ? isOn : isAllowed) && FEATURES[name].part) || null;
}

export const DEPLOYMENT_TYPES: readonly { value: DeploymentType; label: string; text: string }[] = [
  {
    value: 'cloud',
    label: 'Cloud',
    text: 'The site runs on the internet and can use services there.',
  },
  {
    value: 'client-hosted',
    label: 'Client-hosted',
    text: 'The site runs on your own servers.',
  },
  {
    value: 'air-gapped',
    label: 'Air-gapped',
    text: 'The site has no outbound network. Exports omit everything that needs external services. The built-in search works offline.',
  },
];

export function deploymentLabel(type: DeploymentType): string {
  return DEPLOYMENT_TYPES.find(({ value }) => value === type)?.label ?? type;
}

export const AVAILABILITY: Readonly<Record<Availability, string>> = {
  available: 'Available',
  configurable: 'Configurable',
  unavailable: 'Unavailable',
};

export const STATUS: Readonly<Record<FeatureStatus, string>> = {
  enabled: 'On',
  disabled: 'Off',
  planned: 'Planned',
  unavailable: 'Unavailable',
};

/** What another deployment type allows otherwise, in the order of the table. */
export function availabilityChanges(
  from: DeploymentType,
  to: DeploymentType,
): { name: FeatureName; before: Availability; after: Availability }[] {
  return (Object.keys(featureTable) as FeatureName[])
    .map((name) => ({ name, before: featureTable[name][from], after: featureTable[name][to] }))
    .filter(({ before, after }) => before !== after);
}
