import type { DeploymentType, Project, ProjectFeatures } from '@offprint/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../api.ts';
import { useOrganizationId } from '../path-params.ts';
import {
  Button,
  Fault,
  Loaded,
  RadioCards,
  RoleGate,
  Section,
  Status,
  Switch,
  Table,
  toast,
  useGate,
} from '../ui/index.ts';
import { useUpdateProject } from './data.ts';
import {
  DEPLOYMENT_TYPES,
  deploymentLabel,
  EXPORT_FEATURES,
  FEATURE_LABELS,
  isInExports,
  missingServices,
  reasonOf,
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
type ExportFeature = (typeof EXPORT_FEATURES)[number];

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
    mutationFn: ({ name, on }: { name: ExportFeature; on: boolean }) =>
      api.updateProjectFeatures(project.id, { [name]: on }),
    onSuccess: (data, { name, on }) => {
      queries.setQueryData(queryKey, data);
      toast(`${FEATURE_LABELS[name]} turned ${on ? 'on' : 'off'}. The next export uses the change.`);
    },
  });
  const isOn = ({ name, switchedOff }: Feature) =>
    change.isPending && change.variables.name === name ? change.variables.on : !switchedOff;
  return (
    <Section
      title="Features"
      description="What exports of this project contain. A change applies to the next export."
    >
      {change.error !== null && (
        <div className="mb-4">
          <Fault error={change.error} title="The feature was not changed" />
        </div>
      )}
      <Loaded query={features} fault="The features did not load">
        {({ features: all }) => (
          <>
            <Table
              label="Features"
              rows={EXPORT_FEATURES.flatMap((name) => {
                const feature = all.find((each) => each.name === name);
                return feature === undefined ? [] : [{ name, feature }];
              })}
              rowKey={({ name }) => name}
              columns={[
                {
                  head: 'Feature',
                  cell: ({ name, feature }) => (
                    <span className="block min-w-0">
                      <span className="block font-medium">{FEATURE_LABELS[name]}</span>
                      <span className="block max-w-prose text-muted">
                        {reasonOf(feature, all, isOn(feature))}
                      </span>
                    </span>
                  ),
                },
                {
                  head: 'Status',
                  width: '150px',
                  cell: ({ name, feature }) =>
                    feature.switchable ? (
                      <Switch
                        label={
                          <>
                            <span className="sr-only">{FEATURE_LABELS[name]}: </span>
                            {isOn(feature) ? 'On' : 'Off'}
                          </>
                        }
                        checked={isOn(feature)}
                        disabled={reason !== null || change.isPending}
                        onChange={({ target }) => change.mutate({ name, on: target.checked })}
                      />
                    ) : (
                      <FeatureStatus
                        isOn={name === 'static-export' ? feature.enabled : isInExports(feature, all)}
                      />
                    ),
                },
              ]}
            />
            <MissingServices features={all} />
          </>
        )}
      </Loaded>
    </Section>
  );
}

function FeatureStatus({ isOn }: { isOn: boolean }) {
  return <Status tone={isOn ? 'success' : 'neutral'}>{isOn ? 'Included' : 'Not included'}</Status>;
}

function MissingServices({ features }: { features: readonly Feature[] }) {
  const missing = missingServices(features);
  if (missing.length === 0) return null;
  return (
    <div className="mt-3 text-muted text-sm">
      <p>Not enabled for the served site:</p>
      <ul className="list-disc pl-5">
        {missing.map(({ service, reason }) => (
          <li key={service}>
            {service}: {reason}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Another deployment type, with what it changes before it is saved. */
function Deployment({ project }: { project: Project }) {
  const reason = useGate({ role: 'editor' });
  const [chosen, setChosen] = useState<DeploymentType>(project.deploymentType);
  const update = useUpdateProject(project.id, 'Deployment type saved. The next export uses it.');
  return (
    <Section title="Deployment type" description="Where the site runs. It decides what exports contain.">
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
            <p className="font-medium">Exports with the type {deploymentLabel(chosen)}</p>
            <ul className="mt-2 list-disc space-y-1 ps-5">
              {DEPLOYMENT_TYPES.find(({ value }) => value === chosen)?.effects.map((effect) => (
                <li key={effect}>{effect}</li>
              ))}
            </ul>
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
