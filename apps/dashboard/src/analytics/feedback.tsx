import {
  type AnalyticsFeedbackEntry,
  type FeedbackStatus,
  feedbackStatuses,
  type Project,
} from '@offprint/contract';
import { MessageSquare, ThumbsDown, ThumbsUp } from 'lucide-react';
import { useState } from 'react';
import { useApi } from '../api.ts';
import { useOrganizationId } from '../path-params.ts';
import {
  Ago,
  Badge,
  Button,
  Empty,
  Fault,
  Field,
  FilterSelect,
  Filters,
  Form,
  Listing,
  Select,
  Textarea,
  useCursorList,
  useGate,
  useSearchParam,
} from '../ui/index.ts';
import { AskAgent } from './ask-agent.tsx';
import { type Period, useUpdateFeedback } from './data.ts';
import { feedbackPrompt } from './prompts.ts';

const STATES: Readonly<Record<FeedbackStatus, string>> = {
  pending: 'Pending',
  in_progress: 'In progress',
  resolved: 'Resolved',
  dismissed: 'Dismissed',
};
const OPTIONS = feedbackStatuses.map((value) => ({ value, label: STATES[value] }));

/** Votes and comments, newest first, with what the team does about them. */
export function FeedbackList({ project, period }: { project: Project; period: Period }) {
  const api = useApi();
  const organizationId = useOrganizationId();
  const [chosen, setStatus] = useSearchParam('status', '');
  const status = feedbackStatuses.find((known) => known === chosen);
  const { from: dateFrom, to: dateTo } = period;
  const list = useCursorList(
    [organizationId, 'analytics', project.id, 'feedback', dateFrom, dateTo, status],
    async (query, signal) => {
      const page = await api.getAnalyticsFeedback(
        project.id,
        { dateFrom, dateTo, status, ...query },
        { signal },
      );
      return { data: page.feedback, nextCursor: page.nextCursor };
    },
    { limit: 30 },
  );
  return (
    <>
      <Filters label="Feedback">
        <FilterSelect
          label="Status"
          all="Any status"
          value={status ?? ''}
          onChange={setStatus}
          options={OPTIONS}
        />
      </Filters>
      <Listing
        list={list}
        fault="The feedback did not load"
        empty={
          <Empty icon={<MessageSquare />} title="No feedback in these days">
            Each page of a served site asks whether it was helpful. Votes and comments are listed here, and
            those that AI agents send.
          </Empty>
        }
      >
        {(items) => (
          <ul className="space-y-3">
            {items.map((entry) => (
              <Entry key={entry.id} project={project} entry={entry} />
            ))}
          </ul>
        )}
      </Listing>
    </>
  );
}

function Entry({ project, entry }: { project: Project; entry: AnalyticsFeedbackEntry }) {
  const gate = useGate({ role: 'editor' });
  const update = useUpdateFeedback(project.id);
  const { id, path, comment, createdAt, status, source } = entry;
  return (
    <li className="rounded-card border p-4">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 text-sm">
        <Vote entry={entry} />
        <span className="min-w-0 break-all font-medium">{path}</span>
        {source === 'agent' && <Badge>AI agent</Badge>}
        <span className="text-muted">
          <Ago at={createdAt} />
        </span>
        <span className="ms-auto flex flex-wrap items-center gap-2">
          <Select
            aria-label={`Status of the feedback on ${path}`}
            className="w-36"
            value={status}
            disabled={gate !== null || update.isPending}
            onChange={({ currentTarget }) => {
              const next = feedbackStatuses.find((known) => known === currentTarget.value);
              if (next !== undefined) update.mutate({ id, status: next });
            }}
          >
            {OPTIONS.map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </Select>
          <AskAgent project={project} prompt={feedbackPrompt(entry)} about={`feedback on ${path}`} />
        </span>
      </div>
      {comment !== null && <p className="mt-3 whitespace-pre-wrap break-words text-sm">{comment}</p>}
      <Note
        entry={entry}
        gate={gate}
        save={(note) => update.mutate({ id, note })}
        isSaving={update.isPending}
      />
      {update.error !== null && <Fault error={update.error} title="The feedback was not saved" />}
    </li>
  );
}

function Vote({ entry: { helpful } }: { entry: AnalyticsFeedbackEntry }) {
  if (helpful === null) return null;
  const Icon = helpful ? ThumbsUp : ThumbsDown;
  return (
    <span className={`inline-flex items-center gap-1.5 ${helpful ? 'text-success' : 'text-danger'}`}>
      <Icon aria-hidden="true" className="size-4" />
      {helpful ? 'Helpful' : 'Not helpful'}
    </span>
  );
}

interface NoteProps {
  entry: AnalyticsFeedbackEntry;
  gate: string | null;
  save: (note: string) => void;
  isSaving: boolean;
}

function Note({ entry: { note, path }, gate, save, isSaving }: NoteProps) {
  const [isOpen, setOpen] = useState(false);
  if (!isOpen)
    return (
      <div className="mt-3 flex flex-wrap items-baseline gap-x-3 gap-y-1 text-sm">
        {note !== '' && (
          <p className="whitespace-pre-wrap break-words text-muted">
            <span className="font-medium">Note:</span> {note}
          </p>
        )}
        <Button look="quiet" size="small" reason={gate} onClick={() => setOpen(true)}>
          {note === '' ? 'Add note' : 'Edit note'}
        </Button>
      </div>
    );
  return (
    <Form
      className="mt-3"
      onSubmit={(values) => {
        save(String(values.get('note') ?? '').trim());
        setOpen(false);
      }}
    >
      <Field
        label={`Note on the feedback on ${path}`}
        param="/note"
        help="Only members of the organization see it."
      >
        {(control) => (
          <Textarea {...control} name="note" rows={3} maxLength={2_000} defaultValue={note} autoFocus />
        )}
      </Field>
      <div className="mt-3 flex gap-2">
        <Button type="submit" size="small" busy={isSaving}>
          Save note
        </Button>
        <Button look="quiet" size="small" onClick={() => setOpen(false)}>
          Cancel
        </Button>
      </div>
    </Form>
  );
}
