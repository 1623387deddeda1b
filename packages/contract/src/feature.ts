import { z } from 'zod';

/** Where a project's site runs. `air-gapped` has no outbound network. */
export const deploymentType = z
  .enum(['cloud', 'client-hosted', 'air-gapped'])
  .describe('Where the site runs. `air-gapped` has no outbound network.');
export type DeploymentType = z.output<typeof deploymentType>;

export const featureName = z.enum(['search', 'assistant', 'analytics', 'playground', 'static-export']);
export type FeatureName = z.output<typeof featureName>;

/** `configurable`: depends on how the environment is set up. */
export const availability = z.enum(['available', 'configurable', 'unavailable']);
export type Availability = z.output<typeof availability>;

/**
 * Features by deployment type (specification, section 1). `search`, `assistant` and `analytics` are services that run
 * beside the site; the search that is built into exports is none of them.
 */
export const featureTable: Readonly<Record<FeatureName, Readonly<Record<DeploymentType, Availability>>>> = {
  search: { cloud: 'available', 'client-hosted': 'configurable', 'air-gapped': 'unavailable' },
  assistant: { cloud: 'available', 'client-hosted': 'configurable', 'air-gapped': 'unavailable' },
  analytics: { cloud: 'available', 'client-hosted': 'configurable', 'air-gapped': 'unavailable' },
  playground: { cloud: 'available', 'client-hosted': 'available', 'air-gapped': 'configurable' },
  'static-export': { cloud: 'available', 'client-hosted': 'available', 'air-gapped': 'available' },
};

/** Body of `PUT /v1/projects/{projectId}/features`: what is left out stays. */
export const updateProjectFeaturesBody = z
  .strictObject({
    search: z.boolean().optional().describe('Off: exports also omit the built-in search.'),
    assistant: z
      .boolean()
      .optional()
      .describe('Off: menus of exports also omit links to assistants on other hosts.'),
    analytics: z.boolean().optional(),
    playground: z.boolean().optional(),
  })
  .describe('Switches of configurable features.')
  .meta({ id: 'UpdateProjectFeaturesRequest', examples: [{ playground: true }] });
export type UpdateProjectFeaturesBody = z.input<typeof updateProjectFeaturesBody>;

/** State of a feature: works, is switched off, is not there yet, or cannot be. */
export const featureStatus = z
  .enum(['enabled', 'disabled', 'planned', 'unavailable'])
  .describe(
    '`enabled`: it works; `disabled`: switched off, not provided or set up by the installation, or not in the plan; `planned`: not in this version; `unavailable`: excluded by the deployment type.',
  );
export type FeatureStatus = z.output<typeof featureStatus>;

/** The features of one project. */
export const projectFeatures = z
  .object({
    deploymentType,
    features: z.array(
      z.object({
        name: featureName,
        availability: availability.describe('What the deployment type allows.'),
        enabled: z
          .boolean()
          .describe(
            'Whether the feature works for this project now. For a service: whether it is available.',
          ),
        status: featureStatus,
        inExport: z
          .boolean()
          .describe(
            'Whether exports of this project include it without a service; for `search`, the built-in search, for `playground`, the forms of API pages.',
          ),
        switchable: z.boolean().describe('Whether the project can switch it.'),
        switchedOff: z.boolean().describe('Whether the project has switched it off, if it is switchable.'),
        reason: z.string().describe('Reason for the status, and how to change it.'),
      }),
    ),
  })
  .meta({
    id: 'ProjectFeatures',
    examples: [
      {
        deploymentType: 'air-gapped',
        features: [
          {
            name: 'search',
            availability: 'unavailable',
            enabled: false,
            status: 'unavailable',
            inExport: true,
            switchable: false,
            switchedOff: false,
            reason:
              'An air-gapped deployment does not use a hosted search. Exports have a built-in search, which uses no service.',
          },
          {
            name: 'static-export',
            availability: 'available',
            enabled: true,
            status: 'enabled',
            inExport: true,
            switchable: false,
            switchedOff: false,
            reason: 'Included in the enterprise plan.',
          },
        ],
      },
    ],
  });
export type ProjectFeatures = z.output<typeof projectFeatures>;
