export { createGate, type Gate } from './gate.ts';
export { DamagedIndexError } from './index-file.ts';
export { type Discovery, mcpDiscovery } from './mcp/discovery.ts';
export { type HttpAnswer, type HttpRequest, MAX_MCP_BODY, respondMcp } from './mcp/http.ts';
export { createMcpServer, type McpServer } from './mcp/server.ts';
export { createSiteTools, type FeedbackEvent, type SiteTools } from './mcp/site-tools.ts';
export { type Page, pagePathOf, readPage, urlOf } from './page.ts';
export { readRecords, type SearchRecord } from './records.ts';
export { createSearchCache, type SearchCache } from './search-cache.ts';
export type { Similarities } from './similar-pages.ts';
export type { ReadFile } from './site-files.ts';
export {
  MAX_QUERY,
  openSiteSearch,
  type SearchAnswer,
  type SearchHit,
  type SearchRequest,
  type SiteSearch,
} from './site-search.ts';
export { MAX_DIMENSIONS, quantize, quantizeQuery } from './vectors/quantize.ts';
export { type ComparableVectors, compareVectors, prepareVectors } from './vectors/scan.ts';
export { readSectionTexts } from './vectors/section-texts.ts';
export {
  DamagedVectorsError,
  DIGEST_BYTES,
  MAX_VECTOR_FILE,
  MAX_VECTORS,
  readVectors,
  type Vectors,
  writeVectors,
} from './vectors/vector-file.ts';
