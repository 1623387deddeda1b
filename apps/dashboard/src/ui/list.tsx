import { ApiError } from '@offprint/client';
import { type QueryKey, type UseQueryResult, useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Skeleton } from './empty.tsx';
import { Fault } from './fault.tsx';
import { PageHeader } from './page.tsx';

interface CursorList<Item> {
  items: readonly Item[];
  isPending: boolean;
  error: unknown;
  hasMore: boolean;
  isLoadingMore: boolean;
  loadMore: () => void;
  refetch: () => void;
}

interface ListPage<Item> {
  data: Item[];
  nextCursor: string | null;
}

/** Milliseconds between polls of a live list; false: no polling. */
type RefetchInterval<Item> = number | false | ((items: readonly Item[]) => number | false);

/** A long list of the API, read page by page. The key starts with the id of the organization. */
export function useCursorList<Item>(
  queryKey: QueryKey,
  fetchPage: (query: { cursor?: string; limit: number }, signal: AbortSignal) => Promise<ListPage<Item>>,
  options: { limit?: number; refetchInterval?: RefetchInterval<Item>; enabled?: boolean } = {},
): CursorList<Item> {
  const { limit = 50, refetchInterval = false, enabled = true } = options;
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) =>
      fetchPage({ limit, ...(pageParam === '' ? {} : { cursor: pageParam }) }, signal),
    initialPageParam: '',
    getNextPageParam: (page: ListPage<Item>) => page.nextCursor ?? undefined,
    enabled,
    refetchInterval: ({ state }) =>
      typeof refetchInterval === 'function'
        ? refetchInterval(state.data?.pages.flatMap((page) => page.data) ?? [])
        : refetchInterval,
  });
  return {
    items: query.data?.pages.flatMap((page) => page.data) ?? [],
    isPending: query.isPending,
    // Loaded items stay on the page when a poll fails.
    error: query.data === undefined ? query.error : null,
    hasMore: query.hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    loadMore: () => void query.fetchNextPage(),
    refetch: () => void query.refetch(),
  };
}

/** "Load more", while there is more. */
function Pager({ list }: { list: CursorList<unknown> }) {
  if (!list.hasMore) return null;
  return (
    <div className="mt-4 flex justify-center">
      <Button look="quiet" busy={list.isLoadingMore} onClick={list.loadMore}>
        Load more
      </Button>
    </div>
  );
}

interface ListingProps<Item> {
  list: CursorList<Item>;
  /** "The exports did not load" */
  fault: string;
  empty: ReactNode;
  skeleton?: ReactNode;
  children: (items: readonly Item[]) => ReactNode;
}

/** A list in whichever state it is: loading, failed, empty, or its items with "Load more". */
export function Listing<Item>({ list, fault, empty, skeleton, children }: ListingProps<Item>) {
  if (list.error !== null) return <Fault error={list.error} title={fault} retry={list.refetch} />;
  if (list.isPending) return skeleton ?? <Skeleton />;
  if (list.items.length === 0) return empty;
  return (
    <>
      {children(list.items)}
      <Pager list={list} />
    </>
  );
}

interface LoadedProps<Data> {
  query: UseQueryResult<Data>;
  fault: string;
  skeleton?: ReactNode;
  children: (data: Data) => ReactNode;
}

/**
 * One thing in whichever state it is: loading, failed or there. A look that failed in passing leaves what is known
 * on the page; a thing that is gone is gone.
 */
export function Loaded<Data>({ query, fault, skeleton, children }: LoadedProps<Data>) {
  if (query.data !== undefined && !isGone(query)) return children(query.data);
  if (query.error !== null)
    return <Fault error={query.error} title={fault} retry={() => void query.refetch()} />;
  return skeleton ?? <Skeleton />;
}

interface LoadedPageProps<Data> extends LoadedProps<Data> {
  /** Heading until the thing is there, which brings its own. */
  title: string;
  back: ReactNode;
}

/** A page about one thing. */
export function LoadedPage<Data>({ title, back, ...props }: LoadedPageProps<Data>) {
  const { query } = props;
  return (
    <>
      {(query.data === undefined || isGone(query)) && <PageHeader title={title} back={back} />}
      <Loaded {...props} />
    </>
  );
}

function isGone({ error }: UseQueryResult<unknown>): boolean {
  return error instanceof ApiError && error.status === 404;
}
