/** What the processes of the chart find in their environment. */
import { basename, join } from 'node:path';
import type { KubernetesObject } from './kubernetes-objects.ts';

/** Names of settings, with those of the files that some are read from. */
export function namesOf(settings: readonly { name: string; secret?: boolean; file?: boolean }[]): string[] {
  return settings.flatMap(({ name, secret, file }) => (secret || file ? [name, `${name}_FILE`] : [name]));
}

/**
 * What a container finds in its environment, with the paths of mounted files led to files that are there, and which
 * of it the chart sets itself. Throws when a path is not one that a volume puts there.
 */
export function environmentOf(
  // biome-ignore lint/suspicious/noExplicitAny: checked against the schemas before
  spec: any,
  objects: KubernetesObject[],
  folder: string,
): { env: Record<string, string>; own: string[] } {
  const [container] = spec.containers;
  const mounted = new Set<string>();
  for (const { name, mountPath } of container.volumeMounts) {
    const volume = (spec.volumes ?? []).find((other: { name: string }) => other.name === name) ?? {};
    const sources = volume.projected?.sources ?? [volume];
    for (const source of sources)
      for (const { path } of (source.secret ?? source.configMap)?.items ?? [])
        mounted.add(`${mountPath}/${path}`);
  }
  const env: Record<string, string> = {};
  for (const { configMapRef } of container.envFrom ?? []) {
    const map = objects.find(
      ({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === configMapRef?.name,
    );
    Object.assign(env, map?.data);
  }
  for (const { name, value } of container.env ?? []) env[name] = value ?? 'from elsewhere';
  const own = Object.keys(env).filter((name) => !['NODE_OPTIONS', 'NODE_IP'].includes(name));
  for (const [name, value] of Object.entries(env)) {
    if (!value.startsWith('/etc/offprint/')) continue;
    // A folder of files whose names only their Secrets know.
    if (container.volumeMounts.some(({ mountPath }: { mountPath: string }) => mountPath === value)) continue;
    if (!mounted.has(value)) throw new Error(`${name}: no volume brings ${value}`);
    env[name] = join(folder, basename(value));
  }
  return { env, own };
}
