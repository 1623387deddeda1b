import type { ReactNode } from 'react';

interface EmptyProps {
  icon?: ReactNode;
  title: string;
  /** What this is and why it is empty. */
  children: ReactNode;
  /** The one act that fills it. */
  action?: ReactNode;
}

export function Empty({ icon, title, children, action }: EmptyProps) {
  return (
    <div className="rounded-card border border-border-strong border-dashed px-6 py-12 text-center">
      {icon !== undefined && (
        <div
          aria-hidden="true"
          className="mx-auto mb-4 grid size-11 place-items-center rounded-card bg-primary-soft text-primary [&>svg]:size-5"
        >
          {icon}
        </div>
      )}
      <h2 className="font-semibold">{title}</h2>
      <div className="mx-auto mt-1.5 max-w-[54ch] text-pretty text-muted text-sm">{children}</div>
      {action !== undefined && <div className="mt-5 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  );
}

const SHAPES = {
  row: 'h-12 first:rounded-t-card last:rounded-b-card border-t first:border-t-0',
  card: 'h-28 rounded-card border mb-3',
  line: 'h-5 rounded-md mb-2 bg-sunken',
};

/** The shape of what is loading: rows of a table, cards or lines of text. */
export function Skeleton({ shape = 'row', count = 5 }: { shape?: keyof typeof SHAPES; count?: number }) {
  const shapes = Array.from({ length: count }, (_, index) => index);
  return (
    <div
      role="status"
      aria-label="Loading"
      className={shape === 'row' ? 'overflow-hidden rounded-card border' : ''}
    >
      {shapes.map((index) => (
        <div key={index} className={`flex items-center gap-8 px-4 ${SHAPES[shape]}`}>
          {shape !== 'line' && (
            <>
              <span className="h-3 w-2/5 max-w-60 animate-pulse rounded bg-border" />
              <span className="h-3 w-1/4 max-w-32 animate-pulse rounded bg-border" />
            </>
          )}
        </div>
      ))}
    </div>
  );
}
