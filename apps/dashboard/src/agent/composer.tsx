import type { AgentJob } from '@offprint/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../api.ts';
import { useOrganizationId } from '../path-params.ts';
import { Button, Field, Form, Textarea, useGate } from '../ui/index.ts';
import { agentKeys } from './live.ts';
import { sendOnKeys } from './send-keys.ts';

/** The box for the next message to a job. */
export function Composer({ projectId, job }: { projectId: string; job: AgentJob }) {
  const api = useApi();
  const organizationId = useOrganizationId();
  const queries = useQueryClient();
  const [prompt, setPrompt] = useState('');
  const denied = useGate({ plan: 'pro', role: 'editor' });
  const reason = job.status === 'archived' ? 'The job is archived. It does not accept messages.' : denied;
  const send = useMutation({
    mutationFn: (text: string) => api.sendAgentMessage(projectId, job.id, { prompt: text }),
    onSuccess: (next) => {
      setPrompt('');
      queries.setQueryData(agentKeys.one(organizationId, job.id), next);
      void queries.invalidateQueries({ queryKey: agentKeys.lists(organizationId, projectId) });
    },
  });
  if (reason !== null) return <p className="mt-4 text-muted text-sm">{reason}</p>;
  const submit = () => {
    if (prompt.trim() !== '' && !send.isPending) send.mutate(prompt);
  };
  return (
    <Form error={send.error} onSubmit={submit} className="mt-4">
      <Field
        label={job.needsInput === null ? 'Follow-up' : 'Your reply'}
        param="/prompt"
        help={
          job.status === 'active'
            ? 'The agent receives it at its next step. Press Ctrl+Enter to send.'
            : 'Starts another turn on the same branch. Press Ctrl+Enter to send.'
        }
      >
        {(control) => (
          <Textarea
            {...control}
            rows={3}
            value={prompt}
            maxLength={64_000}
            onChange={(event) => setPrompt(event.currentTarget.value)}
            onKeyDown={sendOnKeys}
          />
        )}
      </Field>
      <div className="flex justify-end">
        <Button
          type="submit"
          busy={send.isPending}
          reason={prompt.trim() === '' ? 'Write a message first.' : null}
        >
          Send message
        </Button>
      </div>
    </Form>
  );
}
