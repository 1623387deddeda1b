import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef } from 'react';
import type { Api } from '../session.ts';
import { Button, Fault, Field } from '../ui/parts.tsx';

const INPUT = 'w-full rounded-lg border border-line-strong bg-bg px-3 py-2';

export function StartExport({ api, onClose }: { api: Api; onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const queries = useQueryClient();
  const projects = useQuery({ queryKey: ['projects'], queryFn: () => api.listProjects({}) });
  const domains = projects.data?.data.flatMap((project) => project.domains) ?? [];
  const start = useMutation({
    mutationFn: (body: Parameters<Api['startExport']>[0]) => api.startExport(body),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['exports'] });
      onClose();
    },
  });
  useEffect(() => dialog.current?.showModal(), []);
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => String(form.get(name) ?? '').trim();
    start.mutate({
      domain: text('domain'),
      ...(text('version') === '' ? {} : { version: text('version') }),
      ...(text('ref') === '' ? {} : { source: { ref: text('ref') } }),
    });
  }
  return (
    <dialog
      ref={dialog}
      onClose={onClose}
      aria-labelledby="start-title"
      className="m-auto w-[min(480px,calc(100vw-2rem))] rounded-2xl border border-line bg-bg p-6 text-text"
    >
      <form onSubmit={submit}>
        <h2 id="start-title" className="mb-4 font-semibold text-lg">
          Start export
        </h2>
        <Field label="Domain">
          {(id) => (
            <select id={id} name="domain" required className={INPUT}>
              {domains.map((domain) => (
                <option key={domain}>{domain}</option>
              ))}
            </select>
          )}
        </Field>
        <Field label="Version label" help="Optional. Default: the first characters of the commit.">
          {(id) => (
            <input id={id} name="version" maxLength={64} pattern="[A-Za-z0-9._\-]+" className={INPUT} />
          )}
        </Field>
        <Field label="Branch, tag or commit" help="Optional. Default: the published branch.">
          {(id) => <input id={id} name="ref" maxLength={255} className={INPUT} />}
        </Field>
        {start.error && <Fault error={start.error} />}
        <div className="mt-6 flex justify-end gap-2">
          <Button quiet onClick={() => dialog.current?.close()}>
            Cancel
          </Button>
          <Button type="submit" busy={start.isPending} disabled={domains.length === 0}>
            Start
          </Button>
        </div>
      </form>
    </dialog>
  );
}
