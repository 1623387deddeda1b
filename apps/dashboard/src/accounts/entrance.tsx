import type { ReactNode } from 'react';
import { usePageTitle } from '../ui/page.tsx';

interface EntranceProps {
  title: string;
  description?: ReactNode;
  children: ReactNode;
  /** Below the box: the other ways. */
  foot?: ReactNode;
}

/** The frame of pages for people who are not signed in. */
export function Entrance({ title, description, children, foot }: EntranceProps) {
  const heading = usePageTitle(title);
  return (
    <main className="entrance grid min-h-dvh place-items-center px-4 py-10">
      <div className="w-full max-w-105">
        <p className="mb-6 flex items-center justify-center gap-2.5 font-semibold text-lg">
          <img src="/mark.svg" alt="" width="28" height="28" />
          Offprint
        </p>
        <div className="rounded-dialog border bg-bg p-6 sm:p-8">
          <h1 ref={heading} tabIndex={-1} className="font-semibold text-[22px] leading-8 tracking-[-0.02em]">
            {title}
          </h1>
          {description !== undefined && <p className="mt-1 text-muted">{description}</p>}
          <div className="mt-6">{children}</div>
        </div>
        {foot !== undefined && <div className="mt-5 text-center text-muted text-sm">{foot}</div>}
      </div>
    </main>
  );
}
