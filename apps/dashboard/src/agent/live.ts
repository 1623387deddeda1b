import { ApiError } from '@offprint/client';
import type { AgentJob, AgentJobEvent } from '@offprint/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useApi } from '../api.ts';
import { pause } from '../exports/live.ts';
import { useOrganizationId } from '../path-params.ts';
import { addEvents, EMPTY_TRANSCRIPT, type Transcript } from './transcript.ts';

export const agentKeys = {
  /** Every list of the jobs of a project. */
  lists: (organizationId: string, projectId: string) => [organizationId, 'agent-jobs', projectId],
  one: (organizationId: string, jobId: string) => [organizationId, 'agent-job', jobId],
  diff: (organizationId: string, jobId: string) => [organizationId, 'agent-job', jobId, 'diff'],
  settings: (organizationId: string, projectId: string) => [organizationId, 'agent-settings', projectId],
};

/** Milliseconds in which events are collected before they are shown: a finished job sends hundreds at once. */
const GATHER_MS = 80;
/** Seconds before a broken stream is tried again. */
const AGAIN_SECONDS = 3;
/** Milliseconds between two reads of an active job, in addition to its events. */
const POLL_MS = 5_000;

/** A job; while it is active it is polled for what events do not contain, such as its usage. */
export function useAgentJob(projectId: string, jobId: string) {
  const api = useApi();
  const organizationId = useOrganizationId();
  return useQuery({
    queryKey: agentKeys.one(organizationId, jobId),
    queryFn: ({ signal }) => api.getAgentJob(projectId, jobId, { signal }),
    refetchInterval: ({ state }) => (state.data?.status === 'active' ? POLL_MS : false),
  });
}

export interface LiveTranscript {
  transcript: Transcript;
  /** `reading`: earlier events; `live`: the job is active; `ended`: all events are read; `broken`: retried soon. */
  state: 'reading' | 'live' | 'ended' | 'broken';
  /** Why no more events will come; null without an error. */
  error: unknown;
}

/** The transcript of a job, from its beginning, as it is written. */
export function useTranscript(projectId: string, job: AgentJob | undefined): LiveTranscript {
  const api = useApi();
  const organizationId = useOrganizationId();
  const queries = useQueryClient();
  const [shown, setShown] = useState<LiveTranscript>(START);
  // Where the next stream continues; kept across the streams of earlier turns.
  const known = useRef<{ jobId: string; transcript: Transcript; done: string | null }>(undefined);
  const jobId = job?.id;
  const status = job?.status;
  const updatedAt = status === 'active' ? null : (job?.updatedAt ?? null);
  useEffect(() => {
    if (jobId === undefined || status === undefined) return;
    if (known.current?.jobId !== jobId) {
      known.current = { jobId, transcript: EMPTY_TRANSCRIPT, done: null };
      setShown(START);
    }
    const current = known.current;
    if (updatedAt !== null && current.done === updatedAt) return;
    const stop = new AbortController();
    const show = (state: LiveTranscript['state'], error: unknown = null) => {
      if (!stop.signal.aborted) setShown({ transcript: current.transcript, state, error });
    };
    const run = async () => {
      const add = gather((events) => {
        current.transcript = addEvents(current.transcript, events);
        show(status === 'active' ? 'live' : 'reading');
      });
      const { last } = current.transcript;
      const options = { signal: stop.signal, ...(last === 0 ? {} : { after: last }) };
      for await (const event of api.streamAgentJobEvents(projectId, jobId, options)) {
        if (stop.signal.aborted) return;
        add.push(event);
        if (event.event !== 'done') continue;
        add.flush();
        current.done = event.data.updatedAt;
        queries.setQueryData(agentKeys.one(organizationId, jobId), event.data);
        void queries.invalidateQueries({ queryKey: agentKeys.diff(organizationId, jobId) });
        void queries.invalidateQueries({ queryKey: agentKeys.lists(organizationId, projectId) });
        show('ended');
      }
    };
    const follow = async () => {
      while (!stop.signal.aborted) {
        try {
          return await run();
        } catch (error) {
          if (stop.signal.aborted) return;
          if (error instanceof ApiError && error.status < 500 && error.status !== 429) {
            return show('ended', error);
          }
          show('broken', error);
        }
        await pause(AGAIN_SECONDS, stop.signal);
      }
    };
    void follow();
    return () => stop.abort();
  }, [api, projectId, jobId, status, updatedAt, organizationId, queries]);
  return shown;
}

const START: LiveTranscript = { transcript: EMPTY_TRANSCRIPT, state: 'reading', error: null };

/** Hands events on in lots. */
function gather(take: (events: readonly AgentJobEvent[]) => void) {
  let waiting: AgentJobEvent[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    const events = waiting;
    waiting = [];
    if (events.length > 0) take(events);
  };
  return {
    push(event: AgentJobEvent) {
      waiting.push(event);
      timer ??= setTimeout(flush, GATHER_MS);
    },
    flush,
  };
}
