import type { Project, UpdateFeedbackBody } from '@offprint/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type Api, useApi } from '../api.ts';
import { useOrganizationId } from '../path-params.ts';
import { toast, useSearchParam } from '../ui/index.ts';

export const PERIODS = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '12 months' },
] as const;

/** The days that the page shows, which the address remembers. `to` is exclusive. */
export interface Period {
  days: number;
  choose: (value: string) => void;
  from: string;
  to: string;
}

const DAY_MS = 86_400_000;
const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);

export function usePeriod(): Period {
  const [chosen, choose] = useSearchParam('days', '30');
  const days = Number(PERIODS.find(({ value }) => value === chosen)?.value ?? '30');
  const end = Date.now() + DAY_MS;
  return { days, choose, from: dayOf(end - days * DAY_MS), to: dayOf(end) };
}

/** Every day of the period, oldest first. */
export function daysOf({ days, to }: Period): string[] {
  return Array.from({ length: days }, (_, index) => dayOf(Date.parse(to) - (days - index) * DAY_MS));
}

/** One of the responses about the period. */
export function useAnalytics<Data>(
  { id }: Project,
  { from, to }: Period,
  name: string,
  read: (api: Api, query: { dateFrom: string; dateTo: string }, signal: AbortSignal) => Promise<Data>,
) {
  const api = useApi();
  const organizationId = useOrganizationId();
  return useQuery({
    queryKey: [organizationId, 'analytics', id, name, from, to],
    queryFn: ({ signal }) => read(api, { dateFrom: from, dateTo: to }, signal),
    staleTime: 10_000,
  });
}

/** Changes the state or the note of feedback. */
export function useUpdateFeedback(projectId: string) {
  const api = useApi();
  const organizationId = useOrganizationId();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ id, ...body }: UpdateFeedbackBody & { id: string }) =>
      api.updateAnalyticsFeedback(projectId, id, body),
    onSuccess: async () => {
      toast('Feedback saved');
      await queries.invalidateQueries({ queryKey: [organizationId, 'analytics', projectId, 'feedback'] });
    },
  });
}
