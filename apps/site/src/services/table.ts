import type { Service } from './service.ts';

/** All services, asked in this order. A new one is a file of its own and a line here. */
export function createServices(): Service[] {
  return [];
}
