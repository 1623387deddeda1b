import { Dialog } from '../ui/dialog.tsx';
import { shortcutOf } from './shortcuts.ts';

const SHORTCUTS: readonly (readonly [keys: string, what: string])[] = [
  [shortcutOf('K'), 'Search projects, pages and actions'],
  ['/', 'Go to the search field of the page'],
  ['?', 'Show keyboard shortcuts'],
  [shortcutOf('Enter'), 'Send a prompt or a message to an agent job'],
  ['Esc', 'Close a dialog or a menu'],
];

export function ShortcutsDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <Dialog open={open} onClose={onClose} title="Keyboard shortcuts">
      <dl className="divide-y text-sm">
        {SHORTCUTS.map(([keys, what]) => (
          <div key={keys} className="flex items-center justify-between gap-6 py-2.5">
            <dt className="order-2 flex-none">
              <kbd className="rounded border border-border-strong bg-sunken px-2 py-0.5 font-sans text-xs">
                {keys}
              </kbd>
            </dt>
            <dd className="min-w-0">{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
