import { readFileSync } from 'node:fs';
import { isCertificate } from '../config.ts';
import { DeploymentError } from '../error.ts';

/**
 * Gives the certificates of a file in PEM as they are now: authorities change while a site runs. What it gives throws a
 * DeploymentError when the file cannot be read or holds none. Null without a file.
 */
export function followCertificates(file: string | null): () => string | null {
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
    if (!isCertificate(text)) throw fault('holds no certificate in PEM');
    return text;
  };
}
