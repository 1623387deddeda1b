import { Outlet, useRouter } from '@tanstack/react-router';
import { Menu as MenuIcon, Search, X } from 'lucide-react';
import { use, useEffect, useRef, useState } from 'react';
import { Connection } from './connection.tsx';
import { InShell } from './frame.ts';
import { Palette } from './palette.tsx';
import { Rail } from './rail.tsx';
import { OpenOverlay, type Overlay, useShortcuts } from './shortcuts.ts';
import { ShortcutsDialog } from './shortcuts-dialog.tsx';

/** The frame of every page for signed-in users: the rail, or below 768 px a bar with a sheet. */
export function Shell() {
  const [overlay, setOverlay] = useState<Overlay | null>(null);
  useShortcuts(overlay, setOverlay);
  const close = () => setOverlay(null);
  return (
    <OpenOverlay value={setOverlay}>
      <Frame />
      {overlay === 'palette' && <Palette onClose={close} onShortcuts={() => setOverlay('shortcuts')} />}
      <ShortcutsDialog open={overlay === 'shortcuts'} onClose={close} />
    </OpenOverlay>
  );
}

function Frame() {
  return (
    <div className="md:grid md:min-h-dvh md:grid-cols-[240px_minmax(0,1fr)]">
      <button
        type="button"
        className="sr-only z-50 focus:not-sr-only focus:fixed focus:m-2 focus:rounded-control focus:bg-primary focus:px-3 focus:py-2 focus:text-on-primary"
        onClick={() => document.getElementById('main')?.focus()}
      >
        Skip to content
      </button>
      <aside className="sticky top-0 hidden h-dvh border-e bg-raised md:block">
        <Rail />
      </aside>
      <TopBar />
      <div className="flex min-w-0 flex-col">
        <Connection />
        <main
          id="main"
          tabIndex={-1}
          className="mx-auto w-full max-w-270 flex-1 px-4 pt-6 pb-16 outline-none md:px-10 md:pt-10"
        >
          <InShell value={true}>
            <Outlet />
          </InShell>
        </main>
      </div>
    </div>
  );
}

function TopBar() {
  const sheet = useRef<HTMLDialogElement>(null);
  const open = use(OpenOverlay);
  const router = useRouter();
  useEffect(() => router.subscribe('onBeforeNavigate', () => sheet.current?.close()), [router]);
  return (
    <header className="sticky top-0 z-20 flex h-14 items-center gap-3 border-b bg-bg/90 px-4 backdrop-blur md:hidden">
      <button
        type="button"
        aria-label="Open navigation"
        onClick={() => sheet.current?.showModal()}
        className="-ms-2 grid size-10 place-items-center rounded-control hover:bg-hover"
      >
        <MenuIcon aria-hidden="true" className="size-5" />
      </button>
      <img src="/mark.svg" alt="" width="22" height="22" />
      <span className="flex-1 font-semibold">Offprint</span>
      <button
        type="button"
        aria-label="Search"
        onClick={() => open('palette')}
        className="-me-2 grid size-10 place-items-center rounded-control hover:bg-hover"
      >
        <Search aria-hidden="true" className="size-5" />
      </button>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: a press beside the sheet closes it, as Escape does */}
      <dialog
        ref={sheet}
        aria-label="Navigation"
        onClick={(event) => event.target === event.currentTarget && sheet.current?.close()}
        className="m-0 h-dvh max-h-none w-72 max-w-[85vw] border-e bg-raised p-0 text-text shadow-floating"
      >
        <Rail />
        <button
          type="button"
          aria-label="Close navigation"
          onClick={() => sheet.current?.close()}
          className="absolute end-2 top-3 grid size-9 place-items-center rounded-control text-muted hover:bg-hover"
        >
          <X aria-hidden="true" className="size-4" />
        </button>
      </dialog>
    </header>
  );
}
