export type { RenderOptions, RenderResult } from './render.ts';
export { renderSite } from './render.ts';
export { directorySource } from './source-directory.ts';
export { memorySource, type SourceTree } from './source.ts';
export { SourceError, type Warning } from './warning.ts';
