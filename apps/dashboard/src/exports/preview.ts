import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { useApi } from '../api.ts';
import { messageOf, openTab, toast } from '../ui/index.ts';
import { addressOf } from './words.ts';

/** A preview is not used again in its last minute. */
const MARGIN_MS = 60_000;

/** Opens pages of exports in new tabs; all pages of an export that are opened here share one preview. */
export function usePreview() {
  const api = useApi();
  const known = useRef(new Map<string, { url: string; until: number }>());
  const create = useMutation({
    mutationFn: async ({ jobId, path }: { jobId: string; path: string }) => {
      const kept = known.current.get(jobId);
      if (kept !== undefined && kept.until > Date.now()) return kept.url + path;
      const { url, expiresAt } = await api.createPreview(jobId);
      known.current.set(jobId, { url, until: Date.parse(expiresAt) - MARGIN_MS });
      return url + path;
    },
    onSuccess: (href) => {
      openTab(href);
      toast('The preview works for an hour. No new tab?', { href, label: 'Open the preview' });
    },
    onError: (error) => toast.error(messageOf(error)),
  });
  return {
    isPending: create.isPending,
    /** `page`: path of a page without extension; default the home page. */
    open: (jobId: string, page = 'index') => create.mutate({ jobId, path: addressOf(page) }),
  };
}
