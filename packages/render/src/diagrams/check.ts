/** Syntax of diagrams, by the library that draws them in browsers. */
import { pathToFileURL } from 'node:url';
import type { KnownWarning } from '../warning.ts';
import { libraryFile } from './chunks.ts';

/** A diagram as the library gets it, with the file and line that it starts in. */
export interface Diagram {
  file: string;
  line: number | null;
  text: string;
}

interface Library {
  parse(text: string): Promise<unknown>;
}

/**
 * Squares of the statements of the diagrams of a site that are read, about 12 s of CPU time at most: blocks that are
 * nested without end take quadratic time.
 */
const MAX_WORK = 4_000_000;
const workOf = (text: string): number => text.split(/[\n;]/).length ** 2;

/** The diagrams that browsers cannot draw. The library is loaded for the first one. */
export async function checkDiagrams(diagrams: readonly Diagram[]): Promise<KnownWarning[]> {
  const faults = new Map<string, string | null>();
  const found: KnownWarning[] = [];
  let left = MAX_WORK;
  for (const { file, line, text } of diagrams) {
    let fault = faults.get(text);
    if (fault === undefined) {
      const work = workOf(text);
      if (work > left) {
        const message =
          'The syntax of the diagram was not checked: the diagrams of the site have too many lines. Open the page to see whether it is drawn.';
        found.push({ file, line, code: 'diagram-not-checked', message });
        continue;
      }
      left -= work;
      library ??= await loadLibrary();
      fault = await faultOf(text, library);
      faults.set(text, fault);
    }
    if (fault === null) continue;
    const message = `Mermaid cannot draw the diagram, so readers see its source text. Correct it: ${fault}`;
    found.push({ file, line, code: 'invalid-diagram', message });
  }
  return found;
}

let library: Library | null = null;

/** At its start, the library prepares its sanitizer for a document. Nothing that it would sanitize is used here. */
async function loadLibrary(): Promise<Library> {
  const document = { nodeType: 9, createElement: () => ({}) };
  Object.assign(globalThis, { window: { document, Element: class {} } });
  try {
    const loaded: { default: Library } = await import(pathToFileURL(libraryFile()).href);
    return loaded.default;
  } finally {
    Reflect.deleteProperty(globalThis, 'window');
  }
}

const MAX_FAULT = 300;

async function faultOf(text: string, { parse }: Library): Promise<string | null> {
  try {
    await parse(text);
    return null;
  } catch (error) {
    const written = error instanceof Error ? error.message : String(error);
    // a line of the message can point at the one before it
    const lines = written.split('\n').filter((one) => !/^-*\^$/.test(one.trim()));
    const fault = lines.join(' ').replace(/\s+/g, ' ').trim();
    return fault.length > MAX_FAULT ? `${fault.slice(0, MAX_FAULT)}…` : fault;
  }
}
