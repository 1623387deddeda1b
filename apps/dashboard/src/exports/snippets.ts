/** Commands that fetch and unpack a bundle; the address is quoted for a shell. */
export function downloadCommands(bundle: { bundleUrl: string; sha256: string }, file: string): string {
  return [
    `curl -fsSL -o ${file} ${shellQuote(bundle.bundleUrl)}`,
    `echo '${bundle.sha256}  ${file}' | sha256sum -c`,
    `mkdir -p site && tar xzf ${file} -C site`,
  ].join('\n');
}

/** The values of a deployment that serves the bundle. */
export function helmValues({ bundleUrl, version }: { bundleUrl: string; version: string }): string {
  return [
    'staticExport:',
    '  enabled: true',
    `  bundleUrl: ${JSON.stringify(bundleUrl)}`,
    `  version: ${JSON.stringify(version)}`,
  ].join('\n');
}

/** Name of the file of a bundle: domain and label, of characters that every system takes. */
export function bundleFileName(domain: string, version: string | null): string {
  const name = version === null ? domain : `${domain}-${version}`;
  return `${name.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^[-.]+/, '')}.tar.gz`;
}

function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
