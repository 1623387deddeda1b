import { posix } from 'node:path';
import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import type { Workspace } from '../workspace/workspace.ts';

/** The configuration cannot be read. The message names file and line. */
export class ConfigFault extends Error {
  override name = 'ConfigFault';
}

/** A value where it is written: references have led here. */
export interface Place {
  file: string;
  node: Node;
}

/** A value with its references followed. `place` is the container itself, of the file that may be changed for it. */
export type ConfigValue =
  | { type: 'object'; place: Place; members: ReadonlyMap<string, Place> }
  | { type: 'array'; place: Place; items: readonly Place[] }
  | { type: 'scalar'; place: Place; value: unknown };

/** docs.json or mint.json of a workspace, with the files that it refers to, as written. */
export interface ConfigTree {
  /** `docs.json` or `mint.json`. */
  file: string;
  root: Place;
  /** Text of every file read so far. */
  texts: ReadonlyMap<string, string>;
  /** The whole value of a file that was read. */
  rootOf(file: string): Node | null;
  /** Throws ConfigFault for references that cannot be followed. */
  read(place: Place): ConfigValue;
}

/** What reading a configuration needs of a workspace. */
export type Files = Pick<Workspace, 'read' | 'has'>;

/** Characters of one file: configurations are read in the worker itself. */
const MAX_LENGTH = 4 * 1024 * 1024;
const MAX_HOPS = 32;

export const CONFIG_FILES = ['docs.json', 'mint.json'];

/** Name of the configuration file; null without one. */
export function configFile(workspace: Workspace): string | null {
  return CONFIG_FILES.find((name) => workspace.has(name)) ?? null;
}

/**
 * Reads the configuration as a tree of places. Throws ConfigFault if the file is missing or is not valid
 * JSON. References of objects whose target is an object give its members beside their own, which count first.
 */
export function openConfig(workspace: Files): ConfigTree {
  const file = CONFIG_FILES.find((name) => workspace.has(name));
  if (file === undefined) throw new ConfigFault('docs.json not found at the docs root.');
  const texts = new Map<string, string>();
  const roots = new Map<string, Node>();

  const open = (path: string): Place => {
    let node = roots.get(path);
    if (node === undefined) {
      const text = workspace.read(path);
      if (text === null) throw new ConfigFault(`${path} does not exist or is not a text file.`);
      node = parseFile(path, text);
      texts.set(path, text);
      roots.set(path, node);
    }
    return { file: path, node };
  };

  const follow = (place: Place, reference: string, hops: number): ConfigValue => {
    const target = posix.normalize(
      reference.startsWith('/') ? reference.slice(1) : posix.join(posix.dirname(place.file), reference),
    );
    const at = (): string => `${place.file}:${lineAt(texts.get(place.file) ?? '', place.node.offset)}`;
    if (!target.endsWith('.json') || target.startsWith('..') || hops >= MAX_HOPS)
      throw new ConfigFault(`${at()}: "$ref" ${JSON.stringify(reference)} cannot be resolved.`);
    if (!workspace.has(target))
      throw new ConfigFault(`${at()}: "$ref" references ${target}, which does not exist.`);
    return read(open(target), hops + 1);
  };

  const read = (place: Place, hops = 0): ConfigValue => {
    const { node, file: owner } = place;
    if (node.type === 'array') {
      return {
        type: 'array',
        place,
        items: (node.children ?? []).map((item) => ({ file: owner, node: item })),
      };
    }
    if (node.type !== 'object') return { type: 'scalar', place, value: node.value };
    const own = membersOf(place);
    const reference = own.get('$ref')?.node;
    if (reference?.type !== 'string') return { type: 'object', place, members: own };
    own.delete('$ref');
    const target = follow(place, String(reference.value), hops);
    if (target.type !== 'object') return target;
    return { type: 'object', place: target.place, members: new Map([...target.members, ...own]) };
  };

  return {
    file,
    root: open(file),
    texts,
    rootOf: (path) => roots.get(path) ?? null,
    read: (place) => read(place),
  };
}

function membersOf({ file, node }: Place): Map<string, Place> {
  const members = new Map<string, Place>();
  for (const { children } of node.children ?? []) {
    const [key, value] = children ?? [];
    if (key !== undefined && value !== undefined) members.set(String(key.value), { file, node: value });
  }
  return members;
}

function parseFile(path: string, text: string): Node {
  if (text.length > MAX_LENGTH)
    throw new ConfigFault(`${path} is larger than ${MAX_LENGTH} characters. Edit it as text.`);
  const errors: ParseError[] = [];
  let node: Node | undefined;
  try {
    // The parser does not accept a byte order mark; replacing it with a space keeps the offsets.
    node = parseTree(text.replace(/^\ufeff/, ' '), errors, {
      disallowComments: true,
      allowTrailingComma: false,
      allowEmptyContent: false,
    });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ConfigFault(`${path} is nested too deeply.`);
  }
  const [fault] = errors;
  if (fault !== undefined || node === undefined) {
    const line = lineAt(text, fault?.offset ?? 0);
    const what = fault === undefined ? 'it is empty' : printParseErrorCode(fault.error);
    throw new ConfigFault(`${path}:${line}: invalid JSON (${what}). Correct it with edit_file first.`);
  }
  return node;
}

/** The workspace as if these files had these texts. */
export function withTexts(workspace: Files, texts: ReadonlyMap<string, string>): Files {
  return {
    read: (path) => texts.get(path) ?? workspace.read(path),
    has: (path) => texts.has(path) || workspace.has(path),
  };
}

/** 1-based line of an offset. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line++;
  return line;
}
