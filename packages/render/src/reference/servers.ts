import type { ApiServer, ApiVariable } from './operation.ts';

/** Variables that servers have in common, and for each server those that only it has or describes in its own way. */
export function variablesOf(servers: readonly Pick<ApiServer, 'variables'>[]): {
  readonly own: readonly (readonly ApiVariable[])[];
  readonly common: readonly ApiVariable[];
} {
  const known = new Map<string, { variable: ApiVariable; written: string; isCommon: boolean }>();
  for (const { variables } of servers)
    for (const variable of variables) {
      const written = JSON.stringify(variable);
      const before = known.get(variable.name);
      if (before === undefined) known.set(variable.name, { variable, written, isCommon: true });
      else if (before.written !== written) before.isCommon = false;
    }
  return {
    own: servers.map(({ variables }) => variables.filter(({ name }) => known.get(name)?.isCommon === false)),
    common: [...known.values()].filter(({ isCommon }) => isCommon).map(({ variable }) => variable),
  };
}
