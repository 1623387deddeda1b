/** What is wrong with what the chart rendered: beyond each object by itself, how they fit together and what they allow. */
import { parseAllDocuments } from 'yaml';
import { type KubernetesObject, objectFaults } from './kubernetes-objects.ts';

export interface Pod {
  /** Kind and name of the object that makes it. */
  owner: string;
  labels: Record<string, string>;
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what the schemas check
  spec: any;
}

/** The objects in rendered files, in YAML 1.1 as Kubernetes reads it. Throws on invalid YAML. */
export function parseObjects(files: Record<string, string>): KubernetesObject[] {
  return Object.entries(files)
    .filter(([path]) => path.endsWith('.yaml'))
    .flatMap(([path, text]) =>
      parseAllDocuments(text, { version: '1.1', merge: false, uniqueKeys: true }).flatMap((document) => {
        const [error] = document.errors;
        if (error !== undefined) throw new Error(`${path}: ${error.message}`);
        const object = document.toJS();
        return object === null ? [] : [object as KubernetesObject];
      }),
    );
}

export function podsOf(objects: KubernetesObject[]): Pod[] {
  return objects.flatMap((object) => {
    const owner = `${object.kind}/${object.metadata.name}`;
    if (object.kind === 'Pod') return [{ owner, labels: object.metadata.labels ?? {}, spec: object.spec }];
    if (!['StatefulSet', 'Deployment', 'Job'].includes(object.kind)) return [];
    const { metadata, spec } = object.spec.template;
    return [{ owner, labels: metadata.labels, spec }];
  });
}

/** Every error that can be found without a cluster, one per line. */
export async function chartFaults(files: Record<string, string>): Promise<string[]> {
  let objects: KubernetesObject[];
  try {
    objects = parseObjects(files);
  } catch (error) {
    return [(error as Error).message];
  }
  const faults = (
    await Promise.all(
      objects.map(async (object) =>
        (await objectFaults(object)).map((fault) => `${object.kind}/${object.metadata?.name}: ${fault}`),
      ),
    )
  ).flat();
  // the remaining checks need fields whose presence is checked above
  if (faults.length > 0) return faults;
  const ids = objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`);
  for (const id of new Set(ids)) {
    if (ids.filter((other) => other === id).length > 1) faults.push(`${id} is there twice`);
    if (id.split('/')[1]!.length > 63) faults.push(`${id} has a name of more than 63 characters`);
  }
  for (const [path, text] of Object.entries(files)) {
    if (text.includes('<no value>')) faults.push(`${path} prints a value that there is not`);
  }
  const pods = podsOf(objects);
  faults.push(...pods.flatMap(securityFaults), ...pods.flatMap((pod) => referenceFaults(pod, objects)));
  faults.push(...objects.flatMap((object) => selectorFaults(object, objects, pods)));
  return faults;
}

const SAFE_VOLUMES = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
];

/** The restricted Pod Security Standard, and what the chart promises besides. */
export function securityFaults({ owner, spec }: Pod): string[] {
  const faults: string[] = [];
  const demand = (holds: boolean, what: string) => {
    if (!holds) faults.push(`${owner}: ${what}`);
  };
  const pod = spec.securityContext ?? {};
  demand(pod.runAsNonRoot === true, 'runAsNonRoot must be true');
  demand(pod.runAsUser !== 0, 'runAsUser must not be 0');
  demand(pod.seccompProfile?.type === 'RuntimeDefault', 'seccompProfile must be RuntimeDefault');
  demand(spec.automountServiceAccountToken === false, 'the token of the service account must not be mounted');
  for (const field of ['hostNetwork', 'hostPID', 'hostIPC', 'shareProcessNamespace'])
    demand(spec[field] === undefined, `${field} must not be set`);
  for (const { name, ...volume } of spec.volumes ?? []) {
    demand(
      Object.keys(volume).every((type) => SAFE_VOLUMES.includes(type)),
      `volume ${name} is of a type not allowed`,
    );
    if (volume.emptyDir) demand(volume.emptyDir.sizeLimit !== undefined, `volume ${name} has no limit`);
  }
  for (const container of [...(spec.initContainers ?? []), ...spec.containers]) {
    const security = container.securityContext ?? {};
    demand(security.allowPrivilegeEscalation === false, 'allowPrivilegeEscalation must be false');
    demand(security.privileged !== true, 'privileged must not be true');
    demand(security.readOnlyRootFilesystem === true, 'readOnlyRootFilesystem must be true');
    demand(String(security.capabilities?.drop) === 'ALL', 'all capabilities must be dropped');
    demand(security.capabilities?.add === undefined, 'no capability must be added');
    demand(security.runAsUser !== 0 && security.runAsNonRoot !== false, 'no container must run as root');
    demand(/(:[\w.-]+|@sha256:[0-9a-f]{64})$/.test(container.image), 'the image must have a tag or digest');
    demand(!container.image.endsWith(':latest'), 'the image must not be the latest');
    demand(container.resources?.limits?.memory !== undefined, 'memory must have a limit');
    demand(container.resources?.requests?.cpu !== undefined, 'CPU must have a request');
    for (const port of container.ports ?? []) demand(port.hostPort === undefined, 'no port of the host');
    for (const { name, value } of container.env ?? [])
      demand(
        value === undefined || !/(SECRET|PASSWORD|TOKEN|API_KEY)$/.test(name),
        `${name} must come from a Secret`,
      );
  }
  return faults;
}

/** What a pod names must be there: volumes, settings, ports of probes. */
function referenceFaults({ owner, spec }: Pod, objects: KubernetesObject[]): string[] {
  const workload = objects.find(({ kind, metadata }) => `${kind}/${metadata.name}` === owner);
  const claims: { metadata: { name: string } }[] = workload?.spec.volumeClaimTemplates ?? [];
  const volumes: string[] = [
    ...(spec.volumes ?? []).map(({ name }: { name: string }) => name),
    ...claims.map(({ metadata }) => metadata.name),
  ];
  const mounts: string[] = spec.containers.flatMap(
    ({ volumeMounts = [] }: { volumeMounts?: { name: string }[] }) => volumeMounts.map(({ name }) => name),
  );
  const hasSettings = (name: string) =>
    objects.some(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === name);
  const faults = [
    ...mounts.filter((name) => !volumes.includes(name)).map((name) => `there is no volume ${name}`),
    ...volumes.filter((name) => !mounts.includes(name)).map((name) => `nobody mounts the volume ${name}`),
  ];
  for (const { ports = [], envFrom = [], ...container } of spec.containers) {
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
      const port = container[probe]?.httpGet.port;
      if (port !== undefined && !ports.some(({ name }: { name: string }) => name === port))
        faults.push(`${probe} asks the port ${port}`);
    }
    for (const { configMapRef } of envFrom) {
      if (configMapRef !== undefined && !hasSettings(configMapRef.name))
        faults.push(`there is no ConfigMap ${configMapRef.name}`);
    }
  }
  return faults.map((fault) => `${owner}: ${fault}`);
}

/** Selectors must find pods, and services ports that those have. */
function selectorFaults(object: KubernetesObject, objects: KubernetesObject[], pods: Pod[]): string[] {
  const id = `${object.kind}/${object.metadata.name}`;
  const select = (labels: Record<string, string>) =>
    pods.filter((pod) => Object.entries(labels).every(([name, value]) => pod.labels[name] === value));
  const exists = (kind: string, name: string) =>
    objects.some((other) => other.kind === kind && other.metadata.name === name);
  const backends = (name: string) => (exists('Service', name) ? [] : [`${id}: there is no Service ${name}`]);
  switch (object.kind) {
    case 'Service': {
      const chosen = select(object.spec.selector);
      if (chosen.length === 0) return [`${id} selects no pod`];
      const owners = new Set(chosen.map(({ owner }) => owner));
      if ([...owners].some((owner) => /^(Job|Pod)\//.test(owner))) return [`${id} selects pods that end`];
      return object.spec.ports.flatMap(({ targetPort }: { targetPort: string }) =>
        chosen.every(({ spec }) =>
          spec.containers.some(({ ports = [] }: { ports?: { name: string }[] }) =>
            ports.some(({ name }) => name === targetPort),
          ),
        )
          ? []
          : [`${id}: pods have no port ${targetPort}`],
      );
    }
    case 'PodDisruptionBudget':
      return select(object.spec.selector.matchLabels).length === 1
        ? []
        : [`${id} does not select one workload`];
    case 'NetworkPolicy':
      return select(object.spec.podSelector.matchLabels).length > 0 ? [] : [`${id} selects no pod`];
    case 'StatefulSet':
    case 'Deployment': {
      const { selector, template, serviceName } = object.spec;
      const finds = Object.entries(selector.matchLabels).every(
        ([name, value]) => template.metadata.labels[name] === value,
      );
      return [
        ...(finds ? [] : [`${id} does not select its pods`]),
        ...(serviceName ? backends(serviceName) : []),
      ];
    }
    case 'HorizontalPodAutoscaler': {
      const { kind, name } = object.spec.scaleTargetRef;
      const target = objects.find((other) => other.kind === kind && other.metadata.name === name);
      if (target === undefined) return [`${id}: there is no ${kind} ${name}`];
      return target.spec.replicas === undefined
        ? []
        : [`${id} and ${kind}/${name} both set the number of pods`];
    }
    case 'Ingress':
      return object.spec.rules.flatMap(
        ({ http }: { http: { paths: { backend: { service: { name: string } } }[] } }) =>
          http.paths.flatMap(({ backend }) => backends(backend.service.name)),
      );
    case 'HTTPRoute':
      return backends(object.spec.rules[0].backendRefs[0].name);
    case 'Route':
      return backends(object.spec.to.name);
    default:
      return [];
  }
}
