import type { SiteConfig } from '../site.ts';
import type { ServiceName, Services, WantedServices } from './names.ts';

export { type ServiceName, type Services, serviceNames, type WantedServices } from './names.ts';

/** The services that pages use: what is wanted, unless the export excludes it or docs.json refuses it. */
export function resolveServices(
  wanted: WantedServices | undefined,
  { excluded, integrations }: Pick<SiteConfig, 'excluded' | 'integrations'>,
): Services {
  const isWanted = (name: Exclude<ServiceName, 'mcp'>) =>
    wanted?.[name] === true && excluded[name] === undefined;
  return {
    analytics: isWanted('analytics') && integrations.isMeasuringAllowed,
    assistant: isWanted('assistant'),
    mcp: wanted?.mcp === true,
  };
}
