import type { Hosting, Project } from '@offprint/contract';
import { useHosting } from '../deployments/data.ts';
import { ExactTime, Loaded, NONE, Section, Skeleton, Status, Table, type Tone } from '../ui/index.ts';

type Variant = Hosting['variants'][number];

const STATES: Readonly<Record<Variant['status'], [tone: Tone, text: string]>> = {
  queued: ['info', 'Rendering'],
  success: ['success', 'Ready'],
  failure: ['danger', 'Failed'],
};

/** Which groups the pages of the site name, and the releases of those who are in some of them. */
export function VariantsSection({ project }: { project: Project }) {
  const query = useHosting(project.id, false);
  return (
    <Section
      title="Releases for readers"
      description="Pages can name groups, or be public. Readers with such pages get a release of their own."
    >
      <Loaded query={query} fault="The releases did not load" skeleton={<Skeleton shape="card" count={1} />}>
        {({ groups, variants }) => (
          <div className="max-w-180 space-y-4">
            <p className="text-muted text-sm">{aboutGroups(groups, variants.length > 0)}</p>
            {variants.length > 0 && <VariantTable variants={variants} />}
          </div>
        )}
      </Loaded>
    </Section>
  );
}

function aboutGroups(groups: readonly string[], hasVariants: boolean): string {
  if (groups.length > 0) {
    const list = new Intl.ListFormat('en-US').format(groups.slice(0, 20));
    const more = groups.length > 20 ? `, ${groups.length - 20} more` : '';
    const wait = hasVariants
      ? ''
      : ' A release for readers in some of them is rendered when one has signed in to a site that is not public.';
    return `Groups that pages of the live deployment name: ${list}${more}.${wait}`;
  }
  return hasVariants
    ? 'No page of the live deployment names a group.'
    : 'No page of the live deployment names a group, or is public on a site that is not. All readers get the same release.';
}

function VariantTable({ variants }: { variants: readonly Variant[] }) {
  return (
    <Table
      label="Releases for readers"
      rows={variants}
      rowKey={({ groups }) => JSON.stringify(groups)}
      columns={[
        { head: 'Readers in', width: '40%', cell: ({ groups }) => groups?.join(', ') ?? 'Not signed in' },
        { head: 'Status', width: '130px', cell: (variant) => <State variant={variant} /> },
        { head: 'Pages', align: 'end', cell: ({ pageCount }) => pageCount ?? NONE },
        { head: 'Rendered', cell: ({ endedAt }) => (endedAt === null ? NONE : <ExactTime at={endedAt} />) },
      ]}
    />
  );
}

function State({ variant: { status, error } }: { variant: Variant }) {
  const [tone, text] = STATES[status];
  return (
    <div>
      <Status tone={tone} live={status === 'queued'}>
        {text}
      </Status>
      {error !== null && <p className="mt-1 text-danger text-xs">{error}</p>}
    </div>
  );
}
