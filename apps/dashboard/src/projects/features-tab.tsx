import type { DeploymentType, FeatureStatus, Project, ProjectFeatures } from '@offprint/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../api.ts';
import { useOrganizationId } from '../session.tsx';
import {
  Button,
  Fault,
  Loaded,
  NONE,
  RadioCards,
  RoleGate,
  Section,
  Status,
  Switch,
  Table,
  type Tone,
  toast,
  useGate,
} from '../ui/index.ts';
import { useUpdateProject } from './data.ts';
import {
  AVAILABILITY,
  availabilityChanges,
  DEPLOYMENT_TYPES,
  deploymentLabel,
  FEATURES,
  partInExports,
  STATUS,
} from './features.ts';

export function FeaturesTab({ project }: { project: Project }) {
  return (
    <>
      <RoleGate role="editor" act="Changing features" />
      <Features project={project} />
      <Deployment project={project} />
    </>
  );
}

type Feature = ProjectFeatures['features'][number];

const TONES: Readonly<Record<FeatureStatus, Tone>> = {
  enabled: 'success',
  disabled: 'neutral',
  planned: 'info',
  unavailable: 'neutral',
};

function Features({ project }: { project: Project }) {
  const api = useApi();
  const organizationId = useOrganizationId();
  const queries = useQueryClient();
  const reason = useGate({ role: 'editor' });
  const queryKey = [organizationId, 'projects', project.id, 'features', project.deploymentType];
  const features = useQuery({
    queryKey,
    queryFn: ({ signal }) => api.getProjectFeatures(project.id, { signal }),
  });
  const change = useMutation({
    mutationFn: ({ name, on }: { name: Feature['name']; on: boolean }) =>
      api.updateProjectFeatures(project.id, { [name]: on }),
    onSuccess: (data, { name, on }) => {
      queries.setQueryData(queryKey, data);
      toast(`${FEATURES[name].label} ${on ? 'enabled' : 'disabled'}. The next export uses the change.`);
    },
  });
  const inExports = (feature: Feature, all: readonly Feature[]) => {
    const { name, switchable, switchedOff } = feature;
    if (name === 'static-export') return null;
    if (!switchable) return partInExports(feature, all) ?? NONE;
    const isOn = change.isPending && change.variables.name === name ? change.variables.on : !switchedOff;
    return (
      <Switch
        label={
          <>
            <span className="sr-only">{FEATURES[name].label}: </span>
            {isOn ? (partInExports(feature, all, isOn) ?? 'On') : 'Off'}
          </>
        }
        checked={isOn}
        disabled={reason !== null || change.isPending}
        onChange={({ target }) => change.mutate({ name, on: target.checked })}
      />
    );
  };
  return (
    <Section
      title="Features"
      description="What exports have, what the deployment type allows, and what works. Switches hold from the next export on."
    >
      {change.error !== null && (
        <div className="mb-4">
          <Fault error={change.error} title="The feature was not changed" />
        </div>
      )}
      <Loaded query={features} fault="The features did not load">
        {(data) => (
          <Table
            label="Features"
            rows={data.features}
            rowKey={({ name }) => name}
            columns={[
              { head: 'Feature', cell: (feature) => <About feature={feature} /> },
              { head: 'In exports', width: '150px', cell: (feature) => inExports(feature, data.features) },
              {
                head: deploymentLabel(data.deploymentType),
                width: '132px',
                cell: ({ availability }) => AVAILABILITY[availability],
              },
              {
                head: 'Status',
                width: '140px',
                cell: ({ status }) => <Status tone={TONES[status]}>{STATUS[status]}</Status>,
              },
            ]}
          />
        )}
      </Loaded>
    </Section>
  );
}

function About({ feature }: { feature: Feature }) {
  return (
    <span className="block min-w-0">
      <span className="block font-medium">{FEATURES[feature.name].label}</span>
      <span className="block max-w-prose text-muted">{feature.reason}</span>
    </span>
  );
}

/** Another deployment type, with what it changes before it is saved. */
function Deployment({ project }: { project: Project }) {
  const reason = useGate({ role: 'editor' });
  const [chosen, setChosen] = useState<DeploymentType>(project.deploymentType);
  const update = useUpdateProject(project.id, 'Deployment type saved. The next export uses it.');
  const changes = availabilityChanges(project.deploymentType, chosen);
  return (
    <Section title="Deployment type" description="Where the site runs.">
      <fieldset disabled={reason !== null} className="space-y-4">
        <RadioCards<DeploymentType>
          label="Where does the site run?"
          name="deploymentType"
          value={chosen}
          onChange={setChosen}
          options={DEPLOYMENT_TYPES.map(({ value, label, text }) => ({ value, label, help: text }))}
        />
        {chosen !== project.deploymentType && (
          <div className="rounded-card border bg-raised p-4 text-sm">
            <p className="font-medium">
              What changes from {deploymentLabel(project.deploymentType)} to {deploymentLabel(chosen)}
            </p>
            {changes.length === 0 ? (
              <p className="mt-1 text-muted">No feature.</p>
            ) : (
              <ul className="mt-2 space-y-1">
                {changes.map(({ name, before, after }) => (
                  <li key={name}>
                    {FEATURES[name].service ?? FEATURES[name].label}:{' '}
                    <span className="text-muted">{AVAILABILITY[before].toLowerCase()}</span>
                    <span aria-hidden="true"> → </span>
                    <span className="sr-only"> becomes </span>
                    <span className="font-medium">{AVAILABILITY[after].toLowerCase()}</span>
                  </li>
                ))}
              </ul>
            )}
            <p className="mt-2 text-muted">
              Finished exports do not change. The next export uses the new type.
            </p>
            {update.error !== null && (
              <div className="mt-3">
                <Fault error={update.error} />
              </div>
            )}
            <div className="mt-4 flex flex-wrap justify-end gap-2">
              <Button look="quiet" onClick={() => setChosen(project.deploymentType)}>
                Discard
              </Button>
              <Button busy={update.isPending} onClick={() => update.mutate({ deploymentType: chosen })}>
                Save deployment type
              </Button>
            </div>
          </div>
        )}
      </fieldset>
    </Section>
  );
}
