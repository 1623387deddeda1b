export { documentPolicy, isForeignDocument, isHashed, notFoundPolicy, siteHeaders } from './headers.ts';
export { createPaths, type Found } from './paths.ts';
export { parseRange } from './range.ts';
export { type Site, type SiteOptions, serveBundle } from './serve.ts';
