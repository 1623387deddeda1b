import { useMatch } from '@tanstack/react-router';
import { Info } from 'lucide-react';
import { type ReactNode, useEffect, useId, useLayoutEffect, useRef } from 'react';

/** The page whose title was said last; null before the first, which the browser itself announces. */
let announced: string | null = null;

/** Sets the title of the document, and moves the focus to the heading when another page has been opened. */
export function usePageTitle(title: string) {
  const heading = useRef<HTMLHeadingElement>(null);
  // The address of this page, not the one that is being opened.
  const path = useMatch({ strict: false, select: ({ pathname }) => pathname });
  useEffect(() => {
    document.title = title === '' ? 'Offprint' : `${title} - Offprint`;
  }, [title]);
  // Before the page is seen: a key pressed on it must not be overtaken by the heading.
  useLayoutEffect(() => {
    if (announced !== null && announced !== path) heading.current?.focus({ preventScroll: true });
    announced = path;
  }, [path]);
  return heading;
}

interface PageHeaderProps {
  title: string;
  description?: ReactNode;
  /** Above the title: where the page belongs, as a link. */
  back?: ReactNode;
  /** Beside the title: a status, a badge. */
  aside?: ReactNode;
  /** The one primary action, and quiet ones before it. */
  action?: ReactNode;
}

/** Title of the page. Render it at once, also while the content loads. */
export function PageHeader({ title, description, back, aside, action }: PageHeaderProps) {
  const heading = usePageTitle(title);
  return (
    <header className="mb-6 flex flex-wrap items-start justify-between gap-x-6 gap-y-4 md:mb-8">
      <div className="min-w-0 flex-1 basis-72">
        {back !== undefined && <div className="mb-1.5 text-sm">{back}</div>}
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <h1
            ref={heading}
            tabIndex={-1}
            className="min-w-0 break-words font-semibold text-[26px] leading-8 tracking-[-0.02em]"
          >
            {title}
          </h1>
          {aside}
        </div>
        {description !== undefined && <p className="mt-1.5 max-w-[68ch] text-muted">{description}</p>}
      </div>
      {action !== undefined && <div className="flex flex-wrap items-center gap-2">{action}</div>}
    </header>
  );
}

interface SectionProps {
  title: string;
  description?: ReactNode;
  action?: ReactNode;
  children: ReactNode;
}

/** A part of a page under a heading. */
export function Section({ title, description, action, children }: SectionProps) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="mt-10 first:mt-0">
      <div className="mb-4 flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
        <div className="min-w-0 flex-1 basis-64">
          <h2 id={id} className="font-semibold text-lg leading-7">
            {title}
          </h2>
          {description !== undefined && (
            <p className="mt-0.5 max-w-[68ch] text-muted text-sm">{description}</p>
          )}
        </div>
        {action}
      </div>
      {children}
    </section>
  );
}

/** A box with a hairline around it. */
export function Card({ children, className = '' }: { children: ReactNode; className?: string }) {
  return <div className={`rounded-card border bg-bg p-4 sm:p-5 ${className}`}>{children}</div>;
}

/** Names and values, one a line. */
export function Facts({ facts }: { facts: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className="divide-y rounded-card border text-sm">
      {facts.map(([name, value]) => (
        <div key={name} className="grid gap-x-6 gap-y-0.5 px-4 py-3 sm:grid-cols-[200px_1fr]">
          <dt className="text-muted">{name}</dt>
          <dd className="min-w-0 break-words">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Something to know before continuing. */
export function Notice({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div role="note" className="mb-6 flex gap-3 rounded-card border border-info/30 bg-info-soft p-4 text-sm">
      <Info aria-hidden="true" className="mt-0.5 size-4.5 flex-none text-info" />
      <div className="min-w-0 flex-1">
        <p className="font-medium">{title}</p>
        {children !== undefined && <div className="mt-0.5">{children}</div>}
      </div>
    </div>
  );
}
