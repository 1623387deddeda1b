import { type Description, memorySource, openDescriptions, type Schemas } from '@offprint/render/description';

/**
 * The API description in one of the files, as the renderer reads it: Swagger 2 is converted, overlays are applied, and
 * references lead to the other files and nowhere else.
 */
export function readDescription(
  files: Readonly<Record<string, string>>,
  file: string,
  overlays: readonly string[] = [],
): { description: Description; schemas: Schemas } | { fault: string } {
  const faults: string[] = [];
  const changes = new Map(overlays.length === 0 ? [] : [[file, overlays]]);
  const descriptions = openDescriptions(memorySource(files), changes, ({ file: named, line, message }) => {
    const place = line === null ? '' : `:${line}`;
    faults.push(`${named}${place} cannot be read: ${message}`);
  });
  const description = descriptions.read(file);
  if (description === null) return { fault: faults.at(-1) ?? `${file} cannot be read.` };
  return { description, schemas: descriptions.schemas };
}
