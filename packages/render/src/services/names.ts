/** Services of a platform that pages can use where it serves them. */
export const serviceNames = ['analytics', 'assistant', 'mcp'] as const;
export type ServiceName = (typeof serviceNames)[number];

/** Which services pages use. An export for download has none: its pages are the same with and without this option. */
export type Services = Readonly<Record<ServiceName, boolean>>;

/** Services as a caller asks for them; default: none. */
export type WantedServices = Partial<Services>;
