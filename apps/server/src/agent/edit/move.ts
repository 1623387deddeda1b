import { posix } from 'node:path';
import { counted } from '@offprint/contract/counted';
import type { Workspace } from '../workspace/workspace.ts';
import { configFile, withTexts } from './config-tree.ts';
import { applySplices, type Splice } from './json-splice.ts';
import { resolveLink, rewriteLink } from './link-target.ts';
import { configEntries, inboundLinks, linksOf } from './links.ts';
import { isPage, lookupOf, type PageLookup, pagePath } from './page-lookup.ts';
import { dropRedirects, keepAddress } from './redirects.ts';

export interface MoveRequest {
  from: string;
  to: string;
  updateLinks: boolean;
  addRedirect: boolean;
  /** Whether a file may be changed. */
  mayWrite(path: string): boolean;
}

/** What a move makes of the files. Nothing is written yet. */
export interface MovePlan {
  /** Texts of changed files; the moved one under its new path. */
  texts: Map<string, string>;
  /** Changed links and entries by file, the file as it is named afterwards. */
  counts: Map<string, number>;
  notes: string[];
}

/**
 * A move of a text file with all that names it: links of pages and snippets in the style that each has, its own
 * relative links, entries and redirects of docs.json. Only the ranges of those links change.
 *
 * Throws ConfigFault when docs.json is there and cannot be read.
 */
export function planMove(workspace: Workspace, request: MoveRequest): MovePlan {
  const { from, to, updateLinks, mayWrite } = request;
  const paths = workspace.filePaths();
  const before = lookupOf(paths);
  const after = lookupOf(paths.map((path) => (path === from ? to : path)));
  const plan: MovePlan = { texts: new Map(), counts: new Map(), notes: [] };
  const own = workspace.read(from) ?? '';
  plan.texts.set(to, updateLinks ? moveOwnLinks(own, request, before, after, plan) : own);
  const inbound = inboundLinks(workspace, from, before);
  if (updateLinks) {
    for (const [file, links] of Map.groupBy(inbound, (link) => link.from)) {
      if (!mayWrite(file)) {
        plan.notes.push(`${file} has ${counted(links.length, 'link')} to it and must not be written.`);
        continue;
      }
      const splices = links.map(
        (link): Splice => ({
          start: link.start,
          end: link.end,
          text: rewriteLink({ ...link, from: file, to, lookup: after }),
        }),
      );
      plan.texts.set(file, applySplices(workspace.read(file) ?? '', splices));
      plan.counts.set(file, links.length);
    }
  } else if (inbound.length > 0) {
    plan.notes.push(`${counted(inbound.length, 'link')} in other files still point to ${from}.`);
  }
  if (configFile(workspace) !== null) {
    moveConfig(workspace, request, { before, after, plan, isSnippet: isSnippet(from, inbound) });
  }
  return plan;
}

/** Files of the snippet folders and what others import have no address. */
function isSnippet(file: string, inbound: readonly { kind: string }[]): boolean {
  if (!isPage(file) || /(?:^|\/)_?snippets\//.test(file)) return true;
  return inbound.some(({ kind }) => kind === 'import' || kind === 'snippet');
}

/** The text of the moved file, with its links leading where they led. */
function moveOwnLinks(
  text: string,
  { from, to }: MoveRequest,
  before: PageLookup,
  after: PageLookup,
  plan: MovePlan,
): string {
  const splices: Splice[] = [];
  const stays = posix.dirname(from) === posix.dirname(to);
  for (const link of linksOf(from, text, before)) {
    const target = link.resolved.file === from ? to : link.resolved.file;
    const now = resolveLink(link.kind, link.href, to, after);
    const isApart = link.resolved.base === 'root' || link.resolved.base === 'bare' || stays;
    if (isApart && now?.file === target && now.base === link.resolved.base) continue;
    const written = rewriteLink({ ...link, from: to, to: target, lookup: after });
    if (written !== link.href) splices.push({ start: link.start, end: link.end, text: written });
  }
  if (splices.length > 0) plan.counts.set(to, splices.length);
  return applySplices(text, splices);
}

interface ConfigMove {
  before: PageLookup;
  after: PageLookup;
  plan: MovePlan;
  isSnippet: boolean;
}

function moveConfig(workspace: Workspace, request: MoveRequest, move: ConfigMove): void {
  const { from, to, updateLinks, addRedirect, mayWrite } = request;
  const { before, after, plan } = move;
  const write = (file: string, text: string, changed: number): boolean => {
    if (!mayWrite(file)) {
      const note = `${file} would have to change too and must not be written.`;
      if (!plan.notes.includes(note)) plan.notes.push(note);
      return false;
    }
    plan.texts.set(file, text);
    plan.counts.set(file, (plan.counts.get(file) ?? 0) + changed);
    return true;
  };
  if (updateLinks) {
    const { navigation, entries } = configEntries(workspace, from, before);
    for (const [file, own] of Map.groupBy(entries, ({ place }) => place.file)) {
      const splices = own.map(({ kind, href, resolved, start, end }): Splice => {
        const text =
          kind === 'page'
            ? entryLike(href, to)
            : rewriteLink({ kind, href, resolved, from: file, to, lookup: after });
        return { start, end, text };
      });
      write(file, applySplices(navigation.config.texts.get(file) ?? '', splices), own.length);
    }
  }
  if (move.isSnippet || pagePath(from) === pagePath(to)) return;
  const files = withTexts(workspace, plan.texts);
  plan.notes.push(...dropRedirects(files, to, write));
  if (addRedirect) plan.notes.push(...keepAddress(files, before, from, to, write));
}

/** An entry of the navigation in the style that it has: with or without a slash and an ending. */
function entryLike(written: string, to: string): string {
  const slash = /^\s*(?:\.?\/)/.exec(written)?.[0] ?? '';
  const name = /\.mdx?\s*$/i.test(written) ? to : to.replace(/\.mdx?$/i, '');
  return JSON.stringify(slash + name).slice(1, -1);
}
