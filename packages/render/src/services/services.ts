import type { SiteConfig } from '../site.ts';

/** Services of a platform that pages can use where it serves them. */
export const serviceNames = ['analytics', 'assistant', 'mcp'] as const;
export type ServiceName = (typeof serviceNames)[number];

/** Which services pages use. An export for download has none: its pages are the same with and without this option. */
export type Services = Readonly<Record<ServiceName, boolean>>;

/** Services as a caller asks for them; default: none. */
export type WantedServices = Partial<Services>;

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
