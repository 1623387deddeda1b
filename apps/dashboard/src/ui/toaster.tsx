import { CircleAlert, CircleCheck, X } from 'lucide-react';
import { useEffect, useSyncExternalStore } from 'react';
import { ExternalLink } from './external-link.tsx';

interface Toast {
  id: number;
  text: string;
  kind: 'done' | 'error';
  /** Where to go next: a page outside the dashboard. */
  link?: ToastLink;
}

export interface ToastLink {
  href: string;
  label: string;
}

const SHOWN_MS = 6000;
/** A link needs time to be reached. */
const SHOWN_WITH_LINK_MS = 20_000;
let toasts: readonly Toast[] = [];
let nextId = 1;
const listeners = new Set<() => void>();

function set(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

function add(text: string, kind: Toast['kind'], link?: ToastLink): void {
  set([...toasts.slice(-3), { id: nextId++, text, kind, ...(link === undefined ? {} : { link }) }]);
}

/** Says in passing what was done: "Key revoked". */
export function toast(text: string, link?: ToastLink): void {
  add(text, 'done', link);
}
/** Says in passing what failed; with a form or a page, say it there instead. */
toast.error = (text: string): void => add(text, 'error');

/** Where toasts come up; once a page. Read out without taking the focus. */
export function Toaster() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => toasts,
  );
  return (
    <div
      role="status"
      aria-live="polite"
      className="pointer-events-none fixed inset-x-4 bottom-4 z-50 flex flex-col items-end gap-2"
    >
      {shown.map((entry) => (
        <ToastCard key={entry.id} {...entry} />
      ))}
    </div>
  );
}

function ToastCard({ id, text, kind, link }: Toast) {
  const close = () => set(toasts.filter((entry) => entry.id !== id));
  const shownMs = link === undefined ? SHOWN_MS : SHOWN_WITH_LINK_MS;
  useEffect(() => {
    const timer = setTimeout(() => set(toasts.filter((entry) => entry.id !== id)), shownMs);
    return () => clearTimeout(timer);
  }, [id, shownMs]);
  const Icon = kind === 'done' ? CircleCheck : CircleAlert;
  return (
    <div className="pointer-events-auto flex w-full max-w-96 items-start gap-2.5 rounded-card border border-border-strong bg-raised p-3 text-sm shadow-floating">
      <Icon
        aria-hidden="true"
        className={`mt-0.5 size-4 flex-none ${kind === 'done' ? 'text-success' : 'text-danger'}`}
      />
      <p className="min-w-0 flex-1 break-words">
        {text}
        {link !== undefined && (
          <>
            {' '}
            <ExternalLink href={link.href}>{link.label}</ExternalLink>
          </>
        )}
      </p>
      <button
        type="button"
        aria-label="Dismiss"
        onClick={close}
        className="grid size-5 flex-none place-items-center rounded-md text-muted hover:text-text"
      >
        <X aria-hidden="true" className="size-3.5" />
      </button>
    </div>
  );
}
