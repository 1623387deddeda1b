import type { AgentModelTest, AgentSettings, Project } from '@offprint/contract';
import { useMutation } from '@tanstack/react-query';
import { Sparkles } from 'lucide-react';
import { useApi } from '../api.ts';
import { Button, Fault, Status } from '../ui/index.ts';

interface ModelTestProps {
  project: Project;
  settings: AgentSettings;
  /** Whether the form differs from what is stored: the test is of what is stored. */
  isChanged: boolean;
}

/** The button that asks the model of the project to respond, and its result. */
export function ModelTest({ project, settings, isChanged }: ModelTestProps) {
  const api = useApi();
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () => api.testAgentModel(project.id),
  });
  if (settings.usesModel === null) return null;
  return (
    <div className="mt-5 rounded-card border bg-raised p-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="min-w-0 flex-1 basis-60 text-muted text-sm">
          {isChanged
            ? 'Save the agent settings to test them.'
            : `The test sends one small request to ${settings.usesModel} and asks it to call a tool.`}
        </p>
        <Button look="quiet" busy={isPending} disabled={isChanged} onClick={() => mutate()}>
          <Sparkles aria-hidden="true" className="size-4" />
          Test the model
        </Button>
      </div>
      <div aria-live="polite">
        {data !== undefined && !isPending && error === null && !isChanged && <Result test={data} />}
      </div>
      {error !== null && !isPending && (
        <div className="mt-4">
          <Fault error={error} title="The test did not run" />
        </div>
      )}
    </div>
  );
}

function Result({ test }: { test: AgentModelTest }) {
  const tokens =
    test.inputTokens === null && test.outputTokens === null
      ? 'The server reported no token usage, so usage and costs of jobs are unknown.'
      : `${test.inputTokens ?? 0} input and ${test.outputTokens ?? 0} output tokens.`;
  return (
    <div className="mt-4 flex items-start gap-3 text-sm">
      <Status tone={test.outcome === 'passed' ? 'success' : 'danger'}>
        {test.outcome === 'passed' ? 'Passed' : 'Failed'}
      </Status>
      <div className="min-w-0 break-words">
        <p>{test.message}</p>
        <p className="mt-1 text-muted">
          {test.model} at {test.host}. {test.outcome === 'passed' && tokens}
        </p>
      </div>
    </div>
  );
}
