export {
  type ArchiveFile,
  type ArchiveOptions,
  type ArchiveSummary,
  readArchive,
  type SkippedEntry,
  unpackArchive,
} from './archive.ts';
export {
  type ArtifactChunk,
  type ArtifactIndex,
  artifactIndexFile,
  type ChunkStore,
  directoryChunks,
  memoryChunks,
  parseArtifactIndex,
} from './artifact.ts';
export { type BundleFile, bundleFile } from './bundle-file.ts';
export { contentTypeOf } from './content-type.ts';
export { isDamagedBundle } from './damaged-bundle.ts';
export {
  type ChunkTable,
  type EarlierBundle,
  openEarlierBundle,
  parseChunkTable,
} from './earlier-bundle.ts';
export { BundleError, type BundleErrorCode, type ManifestLimit } from './error.ts';
export { type FolderOptions, type FolderWriter, writeFolder } from './folder.ts';
export { chunkOffsets, joinBundle, type ReadChunk } from './join.ts';
export { type ArchiveLimits, type BundleLimits, bundleLimits, sourceLimits } from './limits.ts';
export {
  type BrokenCause,
  type BrokenLink,
  brokenLinks,
  type LinkSite,
  type ServedLink,
  servedLinks,
} from './link-contract.ts';
export {
  type LinkFacts,
  type LinkPage,
  type LinkPlace,
  linkFactsFile,
  maxLinkFacts,
  parseLinkFacts,
} from './link-contract-facts.ts';
export { anchorsOfHtml } from './link-contract-html.ts';
export {
  formatManifest,
  type Manifest,
  type ManifestFile,
  type ManifestHead,
  type ManifestRedirect,
  manifestPath,
  parseManifest,
  parseManifestInTurns,
} from './manifest.ts';
export { type ArtifactFile, type OpenArtifact, openArtifact, openArtifactFolder } from './open-artifact.ts';
export { packArchive } from './pack-archive.ts';
export {
  type AddedFile,
  createPacker,
  type FileContent,
  type Packer,
  type PackerOptions,
  type PiecedFile,
  type StoredFile,
} from './packer.ts';
export { collisionKey, pathFault } from './path.ts';
export {
  type BundleSink,
  type BundleSource,
  type ReadOptions,
  readBundle,
  type VerifiedBundle,
  verifyBundle,
} from './read.ts';
export { headersOf, isTextFile, lastingFiles, type SiteFile, siteFiles, tagOf } from './site/files.ts';
export {
  fileHeaders,
  type HeaderOptions,
  isForeignDocument,
  isHashed,
  siteHeaders,
} from './site/headers.ts';
export {
  acceptedCodings,
  type Coding,
  type Encoding,
  encodings,
  prefersMarkdown,
} from './site/negotiation.ts';
export { basePathOf, moveNotFoundPage } from './site/not-found.ts';
export {
  isOauthPath,
  MAX_TOKEN_SECONDS,
  MCP_PATH,
  OAUTH_PATHS,
  oauthKeyOf,
  originOfSite,
  signAccessToken,
  verifyAccessToken,
} from './site/oauth.ts';
export { createPathSearch, createPaths, type Found, type PathSearch } from './site/paths.ts';
export { documentPolicy, type PolicySources, sitePolicy } from './site/policy.ts';
export { hasTag, parseRange } from './site/range.ts';
export {
  MAX_READER_COOKIE,
  type Reader,
  readerCookieName,
  readerOfCookies,
  signReader,
  verifyReader,
} from './site/reader.ts';
export { isSignInPath, sameSitePath } from './site/same-site-path.ts';
export { syncPath } from './sync.ts';
export { findPortHolder, type PortHolder } from './system/port-holder.ts';
export { isSystemError, type ListenChoice, listenErrorText, systemErrorText } from './system/system-error.ts';
export { blockSize, fileHeader, paddingOf } from './tar-header.ts';
export { readTar, type TarEntry } from './tar-read.ts';
export { unpackBundle } from './unpack.ts';
