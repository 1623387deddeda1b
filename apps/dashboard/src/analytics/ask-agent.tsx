import type { Project } from '@offprint/contract';
import { Sparkles } from 'lucide-react';
import { useState } from 'react';
import { NewJobDialog } from '../agent/new-job-dialog.tsx';
import { useAgentSettings, useCreateGate } from '../agent/readiness.tsx';
import { Button } from '../ui/index.ts';

/** Opens the form of a new agent job with a prompt, which the person can change before the job is created. */
export function AskAgent({ project, prompt, about }: { project: Project; prompt: string; about: string }) {
  const settings = useAgentSettings(project.id);
  const gate = useCreateGate(project, settings.data);
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        look="quiet"
        size="small"
        reason={gate}
        aria-label={`Ask agent about ${about.slice(0, 80)}`}
        onClick={() => setOpen(true)}
      >
        <Sparkles aria-hidden="true" className="size-3.5" />
        Ask agent
      </Button>
      {isOpen && (
        <NewJobDialog
          open
          onClose={() => setOpen(false)}
          project={project}
          settings={settings.data}
          prompt={prompt}
        />
      )}
    </>
  );
}
