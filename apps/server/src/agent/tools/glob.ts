import { RE2JS } from 're2js';

/** Most characters of a glob. */
export const MAX_GLOB = 200;

/**
 * Returns the paths that a glob of the model matches. `*` and `?` stay in one part of a path, `**` crosses
 * parts, `{a,b}` and `[a-z]` choose. A glob without a slash is about the last part. It runs in linear time,
 * unlike globs that become regular expressions of the language. Throws Error with a sentence for the model.
 */
export function globFilter(glob: string): (path: string) => boolean {
  if (glob.length > MAX_GLOB)
    throw new Error(`The glob has ${glob.length} characters; the limit is ${MAX_GLOB}.`);
  const plain = glob.replace(/^(?:\.?\/)+/, '');
  const source = plain.includes('/') ? patternOf(plain) : `(?:.*/)?${patternOf(plain)}`;
  let pattern: RE2JS;
  try {
    pattern = RE2JS.compile(source, RE2JS.DOTALL);
  } catch {
    throw new Error(`Invalid glob ${JSON.stringify(glob)}. Use *, **, ?, {a,b} and [abc].`);
  }
  return (path) => pattern.testExact(path);
}

function patternOf(glob: string): string {
  let out = '';
  let depth = 0;
  for (let at = 0; at < glob.length; at++) {
    const letter = glob[at]!;
    if (glob.startsWith('**/', at)) {
      out += '(?:.*/)?';
      at += 2;
    } else if (glob.startsWith('**', at)) {
      out += '.*';
      at += 1;
    } else if (letter === '*') out += '[^/]*';
    else if (letter === '?') out += '[^/]';
    else if (letter === '{' && glob.includes('}', at)) {
      out += '(?:';
      depth += 1;
    } else if (letter === ',' && depth > 0) out += '|';
    else if (letter === '}' && depth > 0) {
      out += ')';
      depth -= 1;
    } else if (letter === '[' && glob.indexOf(']', at + 2) > 0) {
      const end = glob.indexOf(']', at + 2);
      const body = glob
        .slice(at + 1, end)
        .replace(/^!/, '^')
        .replace(/[\\[\]&~]/g, '\\$&');
      out += `[${body}]`;
      at = end;
    } else out += RE2JS.quote(letter);
  }
  return out;
}
