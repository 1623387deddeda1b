export { type Severity, severityOf } from './check/severity.ts';
export { findUnknownPath } from './nav/unknown-path.ts';
export { openPreview, type Preview, type PreviewPage } from './preview.ts';
export type { FetchRemote, RemoteAnswer, RemoteRequest } from './remote/remote-files.ts';
export type { RenderOptions, RenderResult } from './render.ts';
export { renderSite } from './render.ts';
export { memorySource, type SourceTree } from './source.ts';
export { directorySource } from './source-directory.ts';
export { SourceError, type Warning } from './warning.ts';
