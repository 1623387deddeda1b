/** A Kubernetes API in memory, as far as Helm speaks to it: discovery, objects, patches; pods end at once. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

type Json = Record<string, unknown>;

export interface KubernetesApi {
  /** A kubeconfig for this API, as text. */
  config: string;
  /** The current content of an object, by its kind and name; undefined if it does not exist. */
  find(kind: string, name: string): Json | undefined;
  /** Whether pods that are created from now on end well; at first they do. */
  endPods(phase: 'Succeeded' | 'Failed'): void;
  stop(): void;
}

/** Kinds by group and version, with the name of their resources; `!` marks those outside of namespaces. */
const RESOURCES: Record<string, Record<string, string>> = {
  v1: {
    ...{ Secret: 'secrets', ConfigMap: 'configmaps', Service: 'services', Pod: 'pods' },
    ...{ ServiceAccount: 'serviceaccounts', Namespace: 'namespaces!' },
  },
  'apps/v1': { StatefulSet: 'statefulsets', Deployment: 'deployments' },
  'policy/v1': { PodDisruptionBudget: 'poddisruptionbudgets' },
  'networking.k8s.io/v1': { NetworkPolicy: 'networkpolicies', Ingress: 'ingresses' },
};

/** Listens on a free port of 127.0.0.1. Every namespace is there; nobody has to sign in. */
export async function startKubernetesApi(): Promise<KubernetesApi> {
  /** By path, such as `/api/v1/namespaces/web/secrets/link`. */
  const objects = new Map<string, Json>();
  let phase = 'Succeeded';
  let revision = 0;

  const put = (path: string, object: Json): Json => {
    const metadata = { uid: path, ...(object.metadata as Json), resourceVersion: String(++revision) };
    const stored = lived({ ...object, metadata }, phase);
    objects.set(path, stored);
    return stored;
  };

  const answer = async (request: IncomingMessage): Promise<[status: number, body: unknown]> => {
    const { pathname, searchParams } = new URL(request.url!, 'http://localhost');
    const found = discovery(pathname);
    if (found !== null) return [200, found];
    const text = Buffer.concat(await request.toArray()).toString('utf8');
    const old = objects.get(pathname);
    if (request.method === 'POST') {
      const object = JSON.parse(text) as Json;
      const path = `${pathname}/${(object.metadata as Json).name}`;
      return objects.has(path) ? [409, fault(409, 'AlreadyExists')] : [201, put(path, object)];
    }
    if (old !== undefined) {
      if (request.method === 'PUT') return [200, put(pathname, JSON.parse(text) as Json)];
      if (request.method === 'PATCH') return [200, put(pathname, patched(old, JSON.parse(text)) as Json)];
      if (request.method === 'DELETE') objects.delete(pathname);
      return [200, old];
    }
    const [, groupVersion = '', resource = ''] = LIST.exec(pathname) ?? [];
    const kind = kindOf(groupVersion, resource);
    if (request.method !== 'GET' || kind === undefined) return [404, fault(404, 'NotFound')];
    const items = [...objects]
      .filter(([path, object]) => path.startsWith(`${pathname}/`) && isSelected(object, searchParams))
      .map(([, object]) => object);
    if (searchParams.get('watch') !== null) return [200, { type: 'MODIFIED', object: items[0] }];
    const metadata = { resourceVersion: String(revision) };
    return [200, { apiVersion: groupVersion, kind: `${kind}List`, metadata, items }];
  };

  const server = createServer((request, response) => {
    void answer(request).then(
      ([status, body]) => {
        response.writeHead(status, { 'content-type': 'application/json' });
        // No schema of the API: Helm then checks objects against none.
        response.end(request.url!.startsWith('/openapi/') ? '' : JSON.stringify(body));
      },
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const config = {
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'test' },
    clusters: [{ name: 'test', cluster: { server: address } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
    users: [{ name: 'test', user: {} }],
  };
  return {
    config: JSON.stringify(config),
    find: (kind, name) =>
      [...objects.values()].find((one) => one.kind === kind && (one.metadata as Json).name === name),
    endPods: (wanted) => {
      phase = wanted;
    },
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

const LIST = /^\/apis?\/(.+?)(?:\/namespaces\/[^/]+)?\/([a-z]+)$/;

function kindOf(groupVersion: string, resource: string): string | undefined {
  const kinds = Object.entries(RESOURCES[groupVersion] ?? {});
  return kinds.find(([, name]) => name.replace('!', '') === resource)?.[0];
}

/** Null: the path is not one of discovery. */
function discovery(path: string): unknown {
  const groups = Object.keys(RESOURCES).filter((name) => name !== 'v1');
  if (path === '/version') return { major: '1', minor: '33', gitVersion: 'v1.33.0' };
  if (path.startsWith('/openapi/')) return {};
  if (path === '/api') return { kind: 'APIVersions', versions: ['v1'] };
  if (path === '/apis') {
    const group = (groupVersion: string) => {
      const [name, version] = groupVersion.split('/');
      return { name, versions: [{ groupVersion, version }], preferredVersion: { groupVersion, version } };
    };
    return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map(group) };
  }
  const groupVersion = path.replace(/^\/apis?\//, '');
  const kinds = RESOURCES[groupVersion];
  if (kinds === undefined) return null;
  const verbs = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'];
  const resources = Object.entries(kinds).map(([kind, name]) => {
    return { name: name.replace('!', ''), namespaced: !name.endsWith('!'), kind, verbs };
  });
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources };
}

/** The object as the controllers of a cluster leave it when all goes well. */
function lived(object: Json, phase: string): Json {
  const spec = (object.spec ?? {}) as Json;
  const ready = spec.replicas ?? 1;
  switch (object.kind) {
    case 'Pod':
      return { ...object, status: { phase } };
    case 'Service':
      return { ...object, spec: { clusterIP: '10.0.0.1', ...spec } };
    case 'StatefulSet':
    case 'Deployment':
      return { ...object, status: { replicas: ready, readyReplicas: ready, updatedReplicas: ready } };
    default:
      return object;
  }
}

/** A merge of JSON in which lists of named things are merged by their names: enough of a strategic merge. */
function patched(old: unknown, patch: unknown): unknown {
  const named = (value: unknown) =>
    Array.isArray(value) && value.every((item) => typeof (item as Json | null)?.name === 'string');
  if (named(old) && named(patch)) {
    const items = new Map((old as Json[]).map((item) => [item.name, item]));
    for (const item of patch as Json[]) items.set(item.name, patched(items.get(item.name), item) as Json);
    return [...items.values()];
  }
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const merged: Json = typeof old === 'object' && old !== null ? { ...(old as Json) } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name];
    else if (!name.startsWith('$')) merged[name] = patched(merged[name], value);
  }
  return merged;
}

function isSelected({ metadata }: Json, query: URLSearchParams): boolean {
  const { name, labels } = metadata as { name: string; labels?: Record<string, string> };
  const fits = (text: string, value: (key: string) => string | undefined) =>
    text.split(',').every((term) => {
      const [key = '', wanted] = term.split('=');
      return term === '' || value(key) === wanted;
    });
  return (
    fits(query.get('labelSelector') ?? '', (key) => labels?.[key]) &&
    fits(query.get('fieldSelector') ?? '', (key) => (key === 'metadata.name' ? name : undefined))
  );
}

function fault(code: number, reason: string): unknown {
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', message: reason, reason, code };
}
