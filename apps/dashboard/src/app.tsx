import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { ExportsPage } from './exports/exports-page.tsx';
import { ProjectsPage } from './projects/projects-page.tsx';
import { type Api, createApi, storedKey, storeKey } from './session.ts';
import { SignIn } from './sign-in.tsx';
import { Badge, Button } from './ui/parts.tsx';

const PAGES = { exports: 'Exports', projects: 'Projects' } as const;
type PageName = keyof typeof PAGES;

function currentPage(): PageName {
  return location.hash === '#projects' ? 'projects' : 'exports';
}

export function App() {
  const [key, setKey] = useState(storedKey);
  const queries = useQueryClient();
  const api = useMemo(() => (key === null ? null : createApi(key)), [key]);
  if (api === null) {
    return (
      <SignIn
        onKey={(accepted) => {
          storeKey(accepted);
          setKey(accepted);
        }}
      />
    );
  }
  return (
    <Shell
      api={api}
      onSignOut={() => {
        storeKey(null);
        queries.clear();
        setKey(null);
      }}
    />
  );
}

function Shell({ api, onSignOut }: { api: Api; onSignOut: () => void }) {
  const [page, setPage] = useState<PageName>(currentPage);
  useEffect(() => {
    const change = () => setPage(currentPage());
    addEventListener('hashchange', change);
    return () => removeEventListener('hashchange', change);
  }, []);
  useEffect(() => {
    document.title = `${PAGES[page]} - Offprint`;
  }, [page]);
  const organization = useQuery({ queryKey: ['organization'], queryFn: () => api.getOrganization() });
  return (
    <div className="min-h-dvh md:grid md:grid-cols-[240px_1fr]">
      <button
        type="button"
        className="sr-only focus:not-sr-only focus:absolute focus:m-2 focus:rounded-lg focus:bg-bg focus:p-2"
        onClick={() => document.getElementById('main')?.focus()}
      >
        Skip to content
      </button>
      <header className="flex items-center gap-4 border-line border-b bg-raised px-4 py-3 md:flex-col md:items-stretch md:border-e md:border-b-0 md:py-5">
        <span className="flex items-center gap-2 font-semibold">
          <img src="./mark.svg" alt="" width="24" height="24" />
          <span className="max-sm:sr-only">Offprint</span>
        </span>
        <nav aria-label="Dashboard" className="flex gap-1 md:flex-col">
          {Object.entries(PAGES).map(([name, label]) => (
            <a
              key={name}
              href={`#${name}`}
              aria-current={page === name ? 'page' : undefined}
              className="rounded-lg px-3 py-1.5 text-muted hover:text-text aria-[current]:bg-accent-soft aria-[current]:text-accent"
            >
              {label}
            </a>
          ))}
        </nav>
        <div className="ms-auto flex items-center gap-3 md:ms-0 md:mt-auto md:flex-col md:items-start">
          <span className="hidden text-sm sm:block">
            {organization.data?.name} {organization.data && <Badge>{organization.data.plan}</Badge>}
          </span>
          <Button quiet onClick={onSignOut}>
            Sign out
          </Button>
        </div>
      </header>
      <main
        id="main"
        tabIndex={-1}
        className="mx-auto w-full max-w-[1100px] px-4 py-6 outline-none sm:px-8 md:py-10"
      >
        {page === 'exports' ? (
          <ExportsPage api={api} plan={organization.data?.plan} />
        ) : (
          <ProjectsPage api={api} />
        )}
      </main>
    </div>
  );
}
