import { Link, type LinkProps } from '@tanstack/react-router';
import type { ButtonHTMLAttributes, ReactNode } from 'react';
import { useId } from 'react';
import { Tooltip } from './tooltip.tsx';

export type ButtonLook = 'primary' | 'quiet' | 'plain' | 'danger';

const LOOKS: Record<ButtonLook, string> = {
  primary: 'bg-primary text-on-primary hover:bg-primary-hover',
  quiet: 'border border-border-strong bg-bg text-text hover:bg-hover',
  plain: 'text-muted hover:bg-hover hover:text-text',
  danger: 'bg-danger text-on-danger hover:bg-danger-hover',
};
const BASE =
  'relative inline-flex items-center justify-center gap-2 whitespace-nowrap rounded-control font-medium text-sm transition-colors';
const SIZES = { small: 'min-h-8 px-2.5 py-1', normal: 'min-h-9.5 px-3.5 py-1.5' };

interface Looks {
  look?: ButtonLook;
  size?: keyof typeof SIZES;
}

interface ButtonProps extends Looks, ButtonHTMLAttributes<HTMLButtonElement> {
  /** Something is under way: a second press does nothing and the width stays. */
  busy?: boolean;
  /** Why it cannot be pressed, as `useGate` says; null: it can. Shown on hover and focus, and read out. */
  reason?: string | null;
}

export function Button({
  busy = false,
  reason = null,
  look = 'primary',
  size = 'normal',
  className = '',
  type = 'button',
  children,
  onClick,
  ...rest
}: ButtonProps) {
  const reasonId = useId();
  const off = busy || reason !== null;
  const button = (
    <button
      aria-describedby={reason === null ? undefined : reasonId}
      {...rest}
      type={type}
      aria-busy={busy || undefined}
      aria-disabled={off || undefined}
      onClick={(event) => (off ? event.preventDefault() : onClick?.(event))}
      className={`${BASE} ${SIZES[size]} ${LOOKS[look]} disabled:cursor-not-allowed disabled:opacity-50 ${reason === null ? '' : 'cursor-not-allowed opacity-50'} ${className}`}
    >
      <span className={`inline-flex items-center gap-2 ${busy ? 'invisible' : ''}`}>{children}</span>
      {busy && (
        <span className="absolute inset-0 grid place-items-center">
          <Spinner />
        </span>
      )}
    </button>
  );
  if (reason === null) return button;
  return (
    <>
      <Tooltip text={reason}>{button}</Tooltip>
      <span id={reasonId} className="sr-only">
        {reason}
      </span>
    </>
  );
}

/** A link that looks like a button, for going to another page. */
export function ButtonLink({
  look = 'primary',
  size = 'normal',
  className = '',
  ...rest
}: Looks & LinkProps & { className?: string }) {
  return <Link {...(rest as LinkProps)} className={`${BASE} ${SIZES[size]} ${LOOKS[look]} ${className}`} />;
}

/** A square button with an icon; `label` is its name and its tooltip. */
export function IconButton({
  label,
  children,
  className = '',
  ...rest
}: { label: string; children: ReactNode } & ButtonHTMLAttributes<HTMLButtonElement>) {
  return (
    <Tooltip text={label}>
      <button
        type="button"
        {...rest}
        aria-label={label}
        className={`grid size-8 flex-none place-items-center rounded-control text-muted transition-colors hover:bg-hover hover:text-text ${className}`}
      >
        {children}
      </button>
    </Tooltip>
  );
}

export function Spinner() {
  return (
    <svg viewBox="0 0 16 16" className="size-4 animate-spin" aria-hidden="true" fill="none">
      <circle cx="8" cy="8" r="6.5" stroke="currentColor" strokeWidth="2" opacity=".3" />
      <path d="M14.5 8A6.5 6.5 0 0 0 8 1.5" stroke="currentColor" strokeWidth="2" strokeLinecap="round" />
    </svg>
  );
}
