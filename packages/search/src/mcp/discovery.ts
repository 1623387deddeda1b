import type { Offer } from './server.ts';

/** The documents by which clients find the server of a site, by their path below the base path. */
export type Discovery = Readonly<Record<string, (offer: Offer) => Promise<object>>>;

/**
 * `url`: of the endpoint. `isRestricted`: readers have to sign in. The documents have the form that clients of hosted
 * documentation know.
 */
export function mcpDiscovery(url: string, isRestricted: boolean): Discovery {
  const authentication = isRestricted ? 'oauth' : 'none';
  const name = isRestricted ? 'authenticated' : 'public';
  const servers = [{ name, url, transport: 'http', authentication }];
  const about = async (): Promise<object> => ({ version: '1.0.0', transport: 'http', url, servers });
  const card = async (offer: Offer): Promise<object> => ({
    name: offer.name,
    version: '1.0.0',
    url,
    transport: 'http',
    description: offer.instructions,
    capabilities: { tools: true, resources: true },
    authentication,
    tools: await offer.tools(),
  });
  return {
    '/.well-known/mcp': about,
    '/.well-known/mcp.json': about,
    '/.well-known/mcp/server-card.json': card,
    '/.well-known/mcp/server-cards.json': async (offer) => ({ servers: [await card(offer)] }),
  };
}
