import { CircleAlert } from 'lucide-react';
import { useId } from 'react';
import { useAllProjects } from '../projects/all.ts';
import { Checkbox, Fault, RadioCards, Skeleton } from '../ui/index.ts';

interface ProjectChoiceProps {
  /** Ids of projects; null: all. */
  chosen: readonly string[] | null;
  onChange: (chosen: readonly string[] | null) => void;
  error: string | null;
  /** What a limit means for the rest of the key. */
  note: string | null;
}

/** All projects, or some of them. */
export function ProjectChoice({ chosen, onChange, error, note }: ProjectChoiceProps) {
  const id = useId();
  return (
    <div>
      <RadioCards
        label="Projects"
        name="reach"
        value={chosen === null ? 'all' : 'some'}
        onChange={(value) => onChange(value === 'all' ? null : [])}
        options={[
          { value: 'all', label: 'All projects', help: 'Including projects that are created later.' },
          {
            value: 'some',
            label: 'Only some projects',
            help: 'Everything else looks as if it did not exist.',
          },
        ]}
        columns={2}
      />
      {chosen !== null && (
        <fieldset className="mt-2.5" aria-describedby={error === null ? undefined : `${id}-error`}>
          <legend className="sr-only">Projects that the key can use</legend>
          <ProjectBoxes chosen={chosen} onChange={onChange} />
          {error !== null && (
            <p id={`${id}-error`} className="mt-1.5 flex gap-1.5 text-danger text-sm">
              <CircleAlert aria-hidden="true" className="mt-1 size-3.5 flex-none" />
              {error}
            </p>
          )}
          {note !== null && <p className="mt-1.5 text-muted text-sm">{note}</p>}
        </fieldset>
      )}
    </div>
  );
}

function ProjectBoxes({
  chosen,
  onChange,
}: {
  chosen: readonly string[];
  onChange: (chosen: readonly string[]) => void;
}) {
  const projects = useAllProjects();
  if (projects.error !== null && projects.data === undefined)
    return (
      <Fault error={projects.error} title="The projects did not load" retry={() => void projects.refetch()} />
    );
  if (projects.data === undefined) return <Skeleton count={2} />;
  if (projects.data.length === 0)
    return <p className="text-muted text-sm">No projects yet. Create a project first.</p>;
  return (
    <div className="max-h-48 space-y-2 overflow-y-auto rounded-card border p-3">
      {projects.data.map((project) => (
        <Checkbox
          key={project.id}
          name="project"
          label={<span className="break-words">{project.name}</span>}
          help={project.domains[0]}
          checked={chosen.includes(project.id)}
          onChange={({ target }) =>
            onChange(
              target.checked ? [...chosen, project.id] : chosen.filter((other) => other !== project.id),
            )
          }
        />
      ))}
    </div>
  );
}
