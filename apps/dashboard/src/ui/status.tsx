import type { ReactNode } from 'react';

export type Tone = 'neutral' | 'info' | 'success' | 'warning' | 'danger';

const DOTS: Record<Tone, string> = {
  neutral: 'bg-faint',
  info: 'bg-info',
  success: 'bg-success',
  warning: 'bg-warning',
  danger: 'bg-danger',
};

/** A dot and a word. `live`: it is changing. */
export function Status({
  tone,
  live = false,
  children,
}: {
  tone: Tone;
  live?: boolean;
  children: ReactNode;
}) {
  return (
    <span className="inline-flex items-center gap-2 whitespace-nowrap text-sm">
      <span
        aria-hidden="true"
        className={`size-2 flex-none rounded-full ${DOTS[tone]} ${live ? 'animate-pulse' : ''}`}
      />
      {children}
    </span>
  );
}

const BADGES: Record<Tone, string> = {
  neutral: 'border-border-strong text-muted',
  info: 'border-transparent bg-info-soft text-info',
  success: 'border-transparent bg-success-soft text-success',
  warning: 'border-transparent bg-warning-soft text-warning',
  danger: 'border-transparent bg-danger-soft text-danger',
};

export function Badge({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span
      className={`inline-flex items-center whitespace-nowrap rounded-full border px-2 py-px font-medium text-xs leading-5 ${BADGES[tone]}`}
    >
      {children}
    </span>
  );
}

/** How far something is, 0 to 100. Without a value: under way. */
export function Progress({ label, value }: { label: string; value: number | undefined }) {
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={value === undefined ? undefined : Math.round(value)}
      className="h-1.5 w-full overflow-hidden rounded-full bg-sunken"
    >
      <div
        className={`h-full rounded-full bg-primary transition-[width] duration-300 ${value === undefined ? 'animate-pulse' : ''}`}
        style={{ width: `${value ?? 100}%` }}
      />
    </div>
  );
}
