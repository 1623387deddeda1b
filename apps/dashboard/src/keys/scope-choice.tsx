import { type ScopeArea, scopeAreas, scopes } from '@offprint/contract';
import { CircleAlert } from 'lucide-react';
import { useId } from 'react';
import type { Access } from './key-facts.ts';

const AREAS: Readonly<Record<ScopeArea, { label: string; help: string }>> = {
  exports: {
    label: 'Exports',
    help: 'Start exports, update sites and make deployments live; download bundles and open previews with read.',
  },
  agent: { label: 'Agent', help: 'Create agent jobs and send messages.' },
  projects: {
    label: 'Projects',
    help: 'Sources, domains, features, webhooks, schedules, access of readers, settings of agent and assistant.',
  },
  discovery: { label: 'Discovery', help: 'Search sites and read their pages.' },
  assistant: { label: 'Assistant', help: 'Ask the assistants of sites, which uses tokens of the model.' },
  analytics: {
    label: 'Analytics',
    help: 'Views, visitors, searches, questions and feedback of readers; change feedback with write.',
  },
  organization: {
    label: 'Organization',
    help: 'Keys, members, invitations, webhook secrets, audit log and usage.',
  },
};

/** Areas with one kind of access have one box. */
const hasBox = (area: ScopeArea, access: 'read' | 'write'): boolean =>
  scopes.some((scope) => scope === `${area}:${access}`) || (area === 'assistant' && access === 'write');

interface ScopeChoiceProps {
  access: Access;
  onChange: (access: Access) => void;
  error: string | null;
}

/** Read or write for each area. */
export function ScopeChoice({ access, onChange, error }: ScopeChoiceProps) {
  const id = useId();
  const set = (area: ScopeArea, kind: 'read' | 'write' | undefined) => {
    const { [area]: _before, ...rest } = access;
    onChange(kind === undefined ? rest : { ...rest, [area]: kind });
  };
  return (
    <fieldset aria-describedby={error === null ? undefined : `${id}-error`}>
      <legend className="mb-1.5 font-medium text-sm">Access</legend>
      <div className="overflow-hidden rounded-card border">
        <table className="w-full text-sm">
          <thead>
            <tr className="border-b text-left text-muted text-xs">
              <th scope="col" className="px-3 py-2 font-normal">
                Area
              </th>
              <th scope="col" id={`${id}-read`} className="w-16 px-2 py-2 text-center font-normal">
                Read
              </th>
              <th scope="col" id={`${id}-write`} className="w-16 px-2 py-2 text-center font-normal">
                Write
              </th>
            </tr>
          </thead>
          <tbody>
            {scopeAreas.map((area) => (
              <tr key={area} className="border-b last:border-b-0">
                <th scope="row" className="px-3 py-2 text-left font-normal">
                  <span id={`${id}-${area}`} className="block font-medium">
                    {AREAS[area].label}
                  </span>
                  <span id={`${id}-${area}-help`} className="block text-muted text-xs leading-5">
                    {AREAS[area].help}
                  </span>
                </th>
                <td className="p-0">
                  {hasBox(area, 'read') && (
                    <Tick
                      labelledBy={`${id}-${area} ${id}-read`}
                      describedBy={`${id}-${area}-help`}
                      checked={access[area] !== undefined}
                      onChange={(checked) => set(area, checked ? 'read' : undefined)}
                    />
                  )}
                </td>
                <td className="p-0">
                  {hasBox(area, 'write') && (
                    <Tick
                      labelledBy={`${id}-${area} ${id}-write`}
                      describedBy={`${id}-${area}-help`}
                      checked={access[area] === 'write'}
                      onChange={(checked) =>
                        set(area, checked ? 'write' : hasBox(area, 'read') ? 'read' : undefined)
                      }
                    />
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {error !== null && (
        <p id={`${id}-error`} className="mt-1.5 flex gap-1.5 text-danger text-sm">
          <CircleAlert aria-hidden="true" className="mt-1 size-3.5 flex-none" />
          {error}
        </p>
      )}
      <p className="mt-1.5 text-muted text-sm">Write includes read.</p>
    </fieldset>
  );
}

interface TickProps {
  labelledBy: string;
  describedBy: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
}

/** A checkbox that fills its cell, so that it is easy to hit. */
function Tick({ labelledBy, describedBy, checked, onChange }: TickProps) {
  return (
    <label className="grid min-h-12 cursor-pointer place-items-center">
      <input
        type="checkbox"
        name="scope"
        aria-labelledby={labelledBy}
        aria-describedby={describedBy}
        checked={checked}
        onChange={({ target }) => onChange(target.checked)}
        className="size-4 accent-primary"
      />
    </label>
  );
}
