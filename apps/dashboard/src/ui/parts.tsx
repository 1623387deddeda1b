import { type ButtonHTMLAttributes, type ReactNode, useId, useState } from 'react';

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  busy?: boolean;
  quiet?: boolean;
}

/** Keeps its width while busy, so that nothing jumps. */
export function Button({
  busy = false,
  quiet = false,
  className = '',
  children,
  type = 'button',
  ...rest
}: ButtonProps) {
  const look = quiet
    ? 'border border-line-strong text-text hover:border-accent hover:text-accent'
    : 'bg-accent text-on-accent hover:opacity-90';
  return (
    <button
      {...rest}
      type={type}
      disabled={busy || rest.disabled}
      aria-busy={busy}
      className={`min-h-8 whitespace-nowrap rounded-lg px-3 py-1.5 font-medium text-sm transition disabled:opacity-55 ${look} ${className}`}
    >
      {children}
    </button>
  );
}

export function Badge({ children }: { children: ReactNode }) {
  return (
    <span className="rounded-full border border-line-strong px-2 py-0.5 text-muted text-xs">{children}</span>
  );
}

export function Field({
  label,
  help,
  children,
}: {
  label: string;
  help?: string;
  children: (id: string) => ReactNode;
}) {
  const id = useId();
  return (
    <div className="mt-4 first:mt-0">
      <label htmlFor={id} className="mb-1 block font-medium text-sm">
        {label}
      </label>
      {children(id)}
      {help !== undefined && <p className="mt-1 text-muted text-sm">{help}</p>}
    </div>
  );
}

/** What happened, as the server says it, with the id to quote. */
export function Fault({ error }: { error: unknown }) {
  const message = error instanceof Error ? error.message : String(error);
  const requestId = (error as { requestId?: string | null }).requestId;
  return (
    <div role="alert" className="mt-4 rounded-xl border border-bad/40 p-3 text-sm">
      <p className="text-bad">{message}</p>
      {requestId && (
        <p className="mt-1 text-muted">
          Request <code>{requestId}</code>
        </p>
      )}
    </div>
  );
}

export function Empty({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="mt-8 rounded-2xl border border-line border-dashed p-10 text-center">
      <h2 className="font-semibold">{title}</h2>
      <div className="mx-auto mt-1 max-w-[46ch] text-muted">{children}</div>
    </div>
  );
}

/** Rows the size of what comes. */
export function Skeleton({ rows }: { rows: number }) {
  return (
    <div aria-busy="true" role="status" aria-label="Loading" className="mt-6 space-y-2">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows have no identity
        <div key={row} className="h-16 animate-pulse rounded-xl bg-raised" />
      ))}
    </div>
  );
}

export function CopyButton({ text, label }: { text: string; label: string }) {
  const [copied, setCopied] = useState(false);
  return (
    <Button
      quiet
      onClick={async () => {
        await navigator.clipboard.writeText(text);
        setCopied(true);
        setTimeout(() => setCopied(false), 1500);
      }}
    >
      <span aria-live="polite">{copied ? 'Copied' : label}</span>
    </Button>
  );
}

const STEPS: [seconds: number, unit: Intl.RelativeTimeFormatUnit][] = [
  [60, 'second'],
  [3600, 'minute'],
  [86_400, 'hour'],
  [Number.POSITIVE_INFINITY, 'day'],
];
const DIVISORS: Partial<Record<Intl.RelativeTimeFormatUnit, number>> = {
  second: 1,
  minute: 60,
  hour: 3600,
  day: 86_400,
};
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** Relative, with the exact time on hover. */
export function Time({ at }: { at: string }) {
  const seconds = Math.round((Date.parse(at) - Date.now()) / 1000);
  const unit = STEPS.find(([limit]) => Math.abs(seconds) < limit)?.[1] ?? 'day';
  return (
    <time dateTime={at} title={new Date(at).toLocaleString()}>
      {relative.format(Math.trunc(seconds / (DIVISORS[unit] ?? 1)), unit)}
    </time>
  );
}

export function formatBytes(bytes: number): string {
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(0)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
