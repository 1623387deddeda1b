/** The values of the Helm chart as a table: each field with its default and the comment above it in values.yaml. */
import { readFileSync } from 'node:fs';

const file = new URL('../deploy/helm/offprint/values.yaml', import.meta.url);

export interface ChartValue {
  /** Path with dots: `site.service.port`. */
  name: string;
  /** As written in values.yaml; empty for an empty text. */
  default: string;
  meaning: string;
}

interface Line {
  indent: number;
  /** Null for a comment. */
  name: string | null;
  /** The text after the name, or the comment. */
  text: string;
}

/**
 * Every field of values.yaml in its order. Resources are one, with the lines below them as their default. Throws when a
 * field has no comment, or a line is not a field.
 */
export function chartValues(text = readFileSync(file, 'utf8')): ChartValue[] {
  const values: ChartValue[] = [];
  const path: string[] = [];
  let comment: string[] = [];
  let resourcesAt = Number.POSITIVE_INFINITY;
  for (const line of text.split('\n')) {
    const { indent, name, text: behind } = readLine(line);
    if (indent > resourcesAt) {
      const resources = values.at(-1)!;
      resources.default += `${resources.default === '' ? '' : ', '}${line.trim()}`;
      continue;
    }
    if (name === null) {
      comment = behind === '' ? [] : [...comment, behind];
      continue;
    }
    path.splice(indent / 2, path.length, name);
    resourcesAt = name === 'resources' ? indent : Number.POSITIVE_INFINITY;
    if (behind !== '' || name === 'resources') {
      if (comment.length === 0) throw new Error(`values.yaml: ${path.join('.')} has no comment`);
      values.push({
        name: path.join('.'),
        default: behind === '""' ? '' : behind,
        meaning: comment.join(' '),
      });
    }
    comment = [];
  }
  return values;
}

function readLine(line: string): Line {
  const found = /^( *)(?:(\w+):(?: (.+))?|# ?(.*))?$/.exec(line);
  if (found === null) throw new Error(`values.yaml: ${line} is no field`);
  const [, spaces = '', name = null, value = '', comment = ''] = found;
  return { indent: spaces.length, name, text: name === null ? comment : value };
}
