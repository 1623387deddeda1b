import type { DeploymentType, FeatureName, ProjectFeatures } from '@offprint/contract';

/** Features that this version has in exports, in the order of the page. */
export const EXPORT_FEATURES = ['static-export', 'search', 'assistant'] as const satisfies FeatureName[];
type ExportFeature = (typeof EXPORT_FEATURES)[number];

export const FEATURE_LABELS: Readonly<Record<ExportFeature, string>> = {
  'static-export': 'Static export',
  search: 'Built-in search',
  assistant: 'Links to AI assistants',
};

/** Services beside a site, by the feature that names them. */
export const SERVICES: Readonly<Record<FeatureName, string | null>> = {
  search: 'Hosted search',
  assistant: 'AI assistant',
  analytics: 'Web analytics',
  playground: 'API playground',
  'static-export': null,
};

type Feature = ProjectFeatures['features'][number];

/** The services that the project does not have now, each with the reason. */
export function missingServices(features: readonly Feature[]): { service: string; reason: string }[] {
  return features.flatMap(({ name, enabled, reason }) => {
    const service = SERVICES[name];
    return enabled || service === null ? [] : [{ service, reason }];
  });
}

/** Whether exports of a project contain a feature. `features`: all of the project; `isOn`: the state of its switch. */
export function isInExports(
  feature: Feature,
  features: readonly Feature[],
  isOn = !feature.switchedOff,
): boolean {
  const { name, inExport, availability, switchable } = feature;
  const hasExports = features.some((one) => one.name === 'static-export' && one.inExport);
  // Links to assistants of other hosts are not a feature of their own: nothing excludes them where assistants are allowed.
  const isAllowed = name === 'assistant' ? availability === 'available' : inExport;
  return hasExports && (switchable ? isOn : isAllowed);
}

/** Why exports of a project contain a feature, or do not. */
export function reasonOf(
  feature: Feature,
  features: readonly Feature[],
  isOn = !feature.switchedOff,
): string {
  const { name, availability, switchable, reason } = feature;
  if (name === 'static-export') return reason;
  const hasExports = features.some((one) => one.name === 'static-export' && one.inExport);
  if (!hasExports) return 'Requires static export.';
  if (switchable && !isOn) return 'Turned off for this project.';
  if (isInExports(feature, features, isOn)) {
    return name === 'search'
      ? 'Readers search the exported site without any service, also offline.'
      : 'Page menus link to AI assistants on other hosts.';
  }
  return availability === 'unavailable'
    ? 'Air-gapped exports contain no links to AI assistants.'
    : 'Not enabled in this installation. An operator can enable it with OFFPRINT_FEATURES.';
}

/** `effects`: what the type changes in exports. */
export const DEPLOYMENT_TYPES: readonly {
  value: DeploymentType;
  label: string;
  text: string;
  effects: readonly string[];
}[] = [
  {
    value: 'cloud',
    label: 'Cloud',
    text: 'The site runs on the internet.',
    effects: ['Exports always contain the built-in search.', 'Page menus can link to AI assistants.'],
  },
  {
    value: 'client-hosted',
    label: 'Client-hosted',
    text: 'The site runs on your own servers.',
    effects: [
      'You can turn off the built-in search.',
      'Page menus link to AI assistants only if the installation enables it.',
    ],
  },
  {
    value: 'air-gapped',
    label: 'Air-gapped',
    text: 'The site has no outbound network. The built-in search works offline.',
    effects: [
      'Exports always contain the built-in search.',
      'Exports contain no links to AI assistants.',
      'An export fetches no files from other hosts.',
    ],
  },
];

export function deploymentLabel(type: DeploymentType): string {
  return DEPLOYMENT_TYPES.find(({ value }) => value === type)?.label ?? type;
}
