import { join } from 'node:path';
import type { ArtifactChunk, ArtifactIndex } from '@offprint/bundle';
import type { PageAccess, Warning } from '@offprint/render';
import type { StoredCommit } from '../platform/db/database.ts';
import type { ChildLimits } from '../platform/sandbox/child.ts';
import type { Sandbox } from '../platform/sandbox/sandbox.ts';
import { inSpan } from '../platform/tracing.ts';
import {
  type ProjectSnapshot,
  type Snapshot,
  type SnapshotAdapters,
  snapshotProject,
} from '../projects/service.ts';
import { RefusedError } from './failure.ts';
import { IMAGE_LIMITS } from './images/encode-images.ts';
import type { ImageStock } from './images/image-stock.ts';
import { keepSourceImages } from './images/source-images.ts';
import { mayWantVariants } from './images/wants-variants.ts';
import type { PageStock } from './page-stock.ts';
import { answerFetch, createFetchBudget, type RemoteFetcher } from './remote-fetch.ts';
import type { RenderInput } from './render-child.ts';
import { commitLink } from './source-link.ts';
import type { ExportRow } from './store.ts';
import { type RenderProgress, readAnswer, readChunk, readLinkFacts, readProgress } from './summary.ts';
import { wantsDates } from './wants-dates.ts';

/** What a source became: an artifact in the work folder, and what the row is to know about it. */
export interface Product {
  version: string;
  commit: string | null;
  commitInfo: StoredCommit | null;
  pageCount: number;
  /** What pages say of their readers. */
  access: PageAccess;
  /** Sorted by file, line and code. */
  warnings: Warning[];
  /** All there were; `warnings` can hold fewer. */
  warningCount: number;
  index: ArtifactIndex;
  readChunk(chunk: ArtifactChunk): Promise<Uint8Array>;
  /** Where links are in the source, compressed; null where it is not known. */
  links: Uint8Array | null;
  /** Digest of the bundle that pages were reused of, whose chunks the store may have; null: none. */
  earlier: string | null;
  /** Stores what the next export uses of this one, from the work folder. Never throws. */
  keepPages(): Promise<void>;
}

export interface ProduceControl {
  signal: AbortSignal;
  /** Use the pages of the last export, and keep those of this one. Default false. */
  keepPages?: boolean;
  /** The source is here. */
  onSource(source: Pick<Product, 'commit' | 'commitInfo'>): void;
  onRender(progress: RenderProgress): void;
}

/**
 * Takes a snapshot of the source of an export into the folder and renders it there in the sandbox. Throws
 * SnapshotError, RefusedError, ChildError, or the reason of the signal.
 */
export type Produce = (row: ExportRow, folder: string, control: ProduceControl) => Promise<Product>;

export function createProducer(adapters: {
  snapshot: SnapshotAdapters;
  sandbox: Sandbox;
  limits: ChildLimits;
  /** Gets what sites name on other hosts; null where exports may fetch nothing. */
  remote: RemoteFetcher | null;
  /** Pages of the last exports; null: every export renders all pages. */
  pages: PageStock | null;
  /** Encoded images of the last exports; null: every export encodes all images. */
  images: ImageStock | null;
  /** Keeps files of the source that are for the platform and not in the export. */
  keepFiles?(exportId: string, root: string): Promise<void>;
}): Produce {
  return async (row, folder, { signal, keepPages = false, onSource, onRender }) => {
    const source = await inSpan('export snapshot', {}, () =>
      snapshotProject(
        adapters.snapshot,
        { organizationId: row.organization_id, id: row.project_id },
        // A commit that an earlier attempt has pinned stays, so that every attempt makes the same bytes.
        { ref: row.commit ?? row.ref_requested, into: folder, signal, wantsDates },
      ),
    );
    await adapters.keepFiles?.(row.id, source.root);
    const { commit } = source;
    const commitInfo = storedCommit(source);
    onSource({ commit, commitInfo });
    const artifactDir = join(folder, 'artifact');
    const fetcher = source.airGapped ? null : adapters.remote;
    const budget = createFetchBudget();
    const input = inputOf(row, source);
    // Files of other hosts can change at any time.
    const pages = keepPages && fetcher === null ? ((await adapters.pages?.open(row, input)) ?? null) : null;
    const encoding = (await mayWantVariants(source.root))
      ? await keepSourceImages(source.root, {
          sandbox: adapters.sandbox,
          limits: IMAGE_LIMITS,
          folder: join(folder, 'images'),
        })
      : null;
    const images = keepPages && encoding !== null ? ((await adapters.images?.open(row)) ?? null) : null;
    const onQuestion = async (question: unknown, into: string): Promise<unknown> => {
      if (isQuestion(question, 'kept') && pages !== null) return pages.provide(into, signal);
      if (isQuestion(question, 'keptImages') && images !== null) return images.provide(into, signal);
      if (isQuestion(question, 'images') && encoding !== null) return encoding.answer(question, into, signal);
      if (fetcher !== null) return answerFetch(question, { fetcher, budget, folder: into, signal });
      throw new TypeError('the render asked for what it does not get');
    };
    const hasAnswers = pages !== null || encoding !== null || fetcher !== null;
    const answer = readAnswer(
      await adapters.sandbox.run<RenderInput>({
        program: 'render',
        source: source.root,
        output: artifactDir,
        limits: adapters.limits,
        input: {
          ...input,
          canFetch: fetcher !== null,
          canKeep: pages !== null,
          canEncode: encoding !== null,
          canKeepImages: images !== null,
        },
        signal,
        ...(hasAnswers ? { onQuestion } : {}),
        onMessage(message) {
          const progress = readProgress(message);
          if (progress !== null) onRender(progress);
        },
      }),
    );
    if (answer.status === 'refused') throw new RefusedError(answer.fault);
    const { summary } = answer;
    return {
      version: summary.version,
      commit,
      commitInfo,
      pageCount: summary.pageCount,
      access: summary.access,
      warnings: merge(source.skipped, summary.warnings),
      warningCount: source.skipped.length + summary.warningCount,
      index: summary.index,
      readChunk: (chunk) => readChunk(artifactDir, chunk),
      links: await readLinkFacts(artifactDir),
      earlier: pages?.earlier() ?? null,
      async keepPages() {
        await pages?.keep(artifactDir, summary.index.bundle.sha256);
        await images?.keep(artifactDir);
      },
    };
  };
}

const isQuestion = (question: unknown, name: string): boolean =>
  typeof question === 'object' && question !== null && name in question;

function inputOf(row: ExportRow, source: ProjectSnapshot): RenderInput {
  const { modified } = source;
  return {
    domain: row.domain,
    siteUrl: `https://${row.domain}${source.basePath}`,
    commit: source.commit,
    // The date of the commit is not that of each page: it is only for pages older than the history that was read.
    committedAt: modified === undefined ? null : source.committedAt,
    includeUnlisted: row.include_unlisted,
    groups: row.groups,
    publicOnly: row.public_only,
    services: row.services,
    ...(modified === undefined ? {} : { modified }),
    excluded: source.excluded,
    ...(row.version_requested === null ? {} : { version: row.version_requested }),
    ...(row.paths === null ? {} : { paths: row.paths }),
  };
}

function storedCommit({ commit, commitInfo }: Snapshot): StoredCommit | null {
  if (commit === null || commitInfo === null) return null;
  const { repository, ...details } = commitInfo;
  return { ...details, url: commitLink(repository, commit) };
}

/** Characters of all warnings of an export that are kept, so that a hostile site cannot fill the database. */
const WARNINGS_LENGTH = 4_000_000;

/** Both lists as one, by file, line and code in code units, as far as there is room. */
function merge(skipped: readonly Warning[], warnings: readonly Warning[]): Warning[] {
  const keyOf = ({ file, line, code }: Warning) => `${file}\0${String(line ?? 0).padStart(10, '0')}\0${code}`;
  const all = [...skipped, ...warnings].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  let length = 0;
  const end = all.findIndex(({ file, message }) => {
    length += file.length + message.length + 100;
    return length > WARNINGS_LENGTH;
  });
  return end === -1 ? all : all.slice(0, end);
}
