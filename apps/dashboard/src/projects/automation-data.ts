import type { Automation, Project, UpdateAutomationBody } from '@offprint/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useApi } from '../api.ts';
import { useOrganizationId } from '../path-params.ts';
import { toast } from '../ui/index.ts';

/** Changes a part of the automation; the rest is sent as it is. */
export function useUpdateAutomation(project: Project, automation: Automation, done: string) {
  const api = useApi();
  const organizationId = useOrganizationId();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (change: UpdateAutomationBody) =>
      api.updateAutomation(project.id, { ...bodyOf(automation), ...change }),
    onSuccess: (data) => {
      queries.setQueryData([organizationId, 'projects', project.id, 'automation'], data);
      toast(done);
    },
  });
}

function bodyOf({ domain, webhook, schedule }: Automation): UpdateAutomationBody {
  return {
    domain,
    webhook: { enabled: webhook.enabled, branch: webhook.branch },
    schedule: schedule === null ? null : { cron: schedule.cron, timeZone: schedule.timeZone },
  };
}
