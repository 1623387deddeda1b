import type { LinkedPage } from '../mdx/linked-page.ts';
import { type ApiChannel, readChannel } from '../reference/channel.ts';
import { type ApiOperation, memberOf, type OperationPlace, readOperation } from '../reference/operation.ts';
import type { SiteMap } from '../site.ts';
import { operationKey } from './operation.ts';

type Described = Pick<SiteMap, 'descriptions'>;

/** Only a page that names an operation of a description shows it; `api` describes one by hand. */
export function operationOf(page: LinkedPage, siteMap: Described): ApiOperation | null {
  const place = operationPlace(page, siteMap);
  return place === null ? null : readOperation(place, siteMap.descriptions.schemas.resolver);
}

/** Where the operation of a page is in its description; null if the page does not show one. */
export function operationPlace(page: LinkedPage, siteMap: Described): OperationPlace | null {
  return typeof page.frontMatter.openapi === 'string' ? placeOf(page, siteMap) : null;
}

/** The channel of a page. */
export function channelOf({ channel }: LinkedPage, { descriptions }: Described): ApiChannel | null {
  if (channel === null || channel.spec === null) return null;
  const place = descriptions.channels.peek(channel.spec)?.byId.get(channel.id)?.place;
  return place === undefined ? null : readChannel(place, descriptions.schemas.resolver);
}

function placeOf({ operation }: LinkedPage, { descriptions }: Described): OperationPlace | null {
  if (operation === null || operation.spec === null) return null;
  const key = operationKey(operation.method, operation.path);
  return descriptions.peek(operation.spec)?.byKey.get(key)?.place ?? null;
}

/** The `operationId` of the operation of a page. */
export function operationIdOf(page: LinkedPage, siteMap: Described): string | null {
  const place = placeOf(page, siteMap);
  const id = place === null ? undefined : memberOf(place.item.value, place.method)?.operationId;
  return typeof id === 'string' ? id : null;
}

/** Pages of operations by `operationId`, and by method and path: `GET /users/{id}`. */
export function pagesOfOperations(
  siteMap: Described & { pages: readonly LinkedPage[] },
): Map<string, LinkedPage> {
  const pages = new Map<string, LinkedPage>();
  for (const page of siteMap.pages) {
    const { operation } = page;
    const place = operation === null ? null : `${operation.method} ${operation.path}`;
    for (const name of [operationIdOf(page, siteMap), place])
      if (name !== null && !pages.has(name)) pages.set(name, page);
  }
  return pages;
}

/** Pages of channels by `channelName`. */
export function pagesOfChannels({ pages }: { pages: readonly LinkedPage[] }): Map<string, LinkedPage> {
  const found = new Map<string, LinkedPage>();
  for (const page of pages) {
    if (page.channel === null || page.channel.spec === null) continue;
    const name = channelName(page.channel.spec, page.channel.id);
    if (!found.has(name)) found.set(name, page);
  }
  return found;
}

export const channelName = (file: string, id: string): string => `${file}\n${id}`;
