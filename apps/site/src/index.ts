export { type Site, type SiteOptions, serveBundle } from './serve.ts';
