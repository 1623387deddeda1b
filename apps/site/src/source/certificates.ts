import { readFileSync } from 'node:fs';
import { isCertificate } from '../config.ts';
import { DeploymentError } from '../error.ts';

/**
 * Returns the current certificates of a PEM file: certificate authorities change while a site runs. The
 * returned function throws a DeploymentError if the file cannot be read or contains none. Null without a
 * file.
 */
export function followAuthorities(file: string | null): () => string | null {
  if (file === null) return () => null;
  const fault = (what: string) =>
    new DeploymentError('source_failed', `The file ${file} of OFFPRINT_CA_FILE ${what}.`);
  return () => {
    let text: string;
    try {
      text = readFileSync(file, 'utf8').trim();
    } catch (error) {
      throw fault(`cannot be read (${(error as NodeJS.ErrnoException).code})`);
    }
    if (!isCertificate(text)) throw fault('contains no PEM certificate');
    return text;
  };
}
