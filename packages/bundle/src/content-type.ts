const types: Readonly<Record<string, string>> = {
  avif: 'image/avif',
  bmp: 'image/bmp',
  css: 'text/css; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  gif: 'image/gif',
  gz: 'application/gzip',
  html: 'text/html; charset=utf-8',
  ico: 'image/x-icon',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json; charset=utf-8',
  m4a: 'audio/mp4',
  map: 'application/json; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  mjs: 'text/javascript; charset=utf-8',
  mov: 'video/quicktime',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
  ogg: 'audio/ogg',
  ogv: 'video/ogg',
  otf: 'font/otf',
  pdf: 'application/pdf',
  png: 'image/png',
  svg: 'image/svg+xml; charset=utf-8',
  ttf: 'font/ttf',
  txt: 'text/plain; charset=utf-8',
  wav: 'audio/wav',
  webm: 'video/webm',
  webmanifest: 'application/manifest+json; charset=utf-8',
  webp: 'image/webp',
  woff: 'font/woff',
  woff2: 'font/woff2',
  xml: 'application/xml; charset=utf-8',
  yaml: 'text/yaml; charset=utf-8',
  yml: 'text/yaml; charset=utf-8',
  zip: 'application/zip',
};

/**
 * Value of `Content-Type` by the extension of the path; `application/octet-stream` for unknown extensions.
 */
export function contentTypeOf(path: string): string {
  const dot = path.lastIndexOf('.');
  if (dot < path.lastIndexOf('/')) return 'application/octet-stream';
  const extension = path.slice(dot + 1).toLowerCase();
  return (Object.hasOwn(types, extension) ? types[extension] : undefined) ?? 'application/octet-stream';
}

/** Whether the format of the file compresses its content, by the extension of the path. */
export function isCompressed(path: string): boolean {
  return /\.(?:avif|gif|gz|jpe?g|m4a|mov|mp[34]|og[gv]|png|web[mp]|woff2?|zip)$/i.test(path);
}
