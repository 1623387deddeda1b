import { Search } from 'lucide-react';
import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { count } from '../ui/format.ts';
import { findOpener } from '../ui/opener.ts';
import { findEntries, type PaletteEntry } from './palette-entries.ts';
import { usePaletteEntries } from './use-palette-entries.ts';

/** Finds projects, pages and actions by name. Lives while it is open; the focus then returns to where it was. */
export function Palette({ onClose, onShortcuts }: { onClose: () => void; onShortcuts: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const [query, setQuery] = useState('');
  const [active, setActive] = useState(0);
  const groups = findEntries(usePaletteEntries(onShortcuts), query);
  const options = groups.flatMap(({ entries }) => entries);
  const current = options[Math.min(active, options.length - 1)];
  const optionId = (entry: PaletteEntry) => `${id}-${entry.id}`;

  useLayoutEffect(() => {
    const element = dialog.current;
    const opener = findOpener();
    element?.showModal();
    return () => {
      element?.close();
      if (opener?.isConnected) opener.focus();
    };
  }, []);
  const currentId = current === undefined ? undefined : optionId(current);
  useEffect(() => {
    if (currentId !== undefined) document.getElementById(currentId)?.scrollIntoView({ block: 'nearest' });
  }, [currentId]);

  function choose(entry: PaletteEntry) {
    onClose();
    // The palette closes first, so that the focus goes to what the entry opens.
    setTimeout(entry.run);
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing || options.length === 0) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setActive((Math.min(active, options.length - 1) + step + options.length) % options.length);
    } else if (event.key === 'Enter' && current !== undefined) {
      event.preventDefault();
      choose(current);
    }
  }

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a press beside the palette closes it, as Escape does
    <dialog
      ref={dialog}
      aria-label="Command palette"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => event.target === event.currentTarget && onClose()}
      className="mx-auto mt-[10dvh] mb-auto max-h-[80dvh] w-[calc(100vw-32px)] max-w-150 overflow-hidden rounded-dialog border border-border bg-bg p-0 text-text shadow-floating"
    >
      <div className="flex max-h-[80dvh] flex-col">
        <div className="flex flex-none items-center gap-3 border-b px-4">
          <Search aria-hidden="true" className="size-4.5 flex-none text-muted" />
          <input
            role="combobox"
            aria-label="Search projects, pages and actions"
            aria-autocomplete="list"
            aria-expanded={options.length > 0}
            aria-controls={`${id}-list`}
            aria-activedescendant={currentId}
            placeholder="Search projects, pages and actions"
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            maxLength={200}
            value={query}
            onChange={(event) => {
              setQuery(event.currentTarget.value);
              setActive(0);
            }}
            onKeyDown={onKeyDown}
            className="min-h-13 w-full min-w-0 bg-transparent text-base outline-none placeholder:text-muted sm:text-[15px]"
          />
          <button
            type="button"
            aria-label="Close"
            onClick={onClose}
            className="flex-none rounded border border-border-strong px-1.5 text-muted text-xs leading-5 hover:text-text"
          >
            Esc
          </button>
        </div>
        <div
          id={`${id}-list`}
          role="listbox"
          aria-label="Results"
          className="min-h-0 overflow-y-auto overscroll-contain p-2 empty:hidden"
        >
          {groups.map(({ group, entries }) => (
            // biome-ignore lint/a11y/useSemanticElements: a group of options, not of form fields
            <div key={group} role="group" aria-labelledby={`${id}-${group}`} className="mb-1 last:mb-0">
              <p id={`${id}-${group}`} className="px-2.5 pt-2 pb-1 font-medium text-muted text-xs">
                {group}
              </p>
              {entries.map((entry) => (
                <Option
                  key={entry.id}
                  id={optionId(entry)}
                  entry={entry}
                  isActive={entry === current}
                  onActivate={() => setActive(options.indexOf(entry))}
                  onChoose={() => choose(entry)}
                />
              ))}
            </div>
          ))}
        </div>
        <p
          role="status"
          className={options.length === 0 ? 'px-4 py-8 text-center text-muted text-sm' : 'sr-only'}
        >
          {options.length === 0 ? `No results for “${query.trim()}”` : count(options.length, 'result')}
        </p>
      </div>
    </dialog>
  );
}

interface OptionProps {
  id: string;
  entry: PaletteEntry;
  isActive: boolean;
  onActivate: () => void;
  onChoose: () => void;
}

function Option({ id, entry: { icon: Icon, label, detail }, isActive, onActivate, onChoose }: OptionProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are handled by the field, which keeps the focus
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isActive}
      onMouseMove={isActive ? undefined : onActivate}
      onMouseDown={(event) => event.preventDefault()}
      onClick={onChoose}
      className={`flex min-h-9.5 cursor-pointer items-center gap-3 rounded-control px-2.5 py-1.5 text-sm ${isActive ? 'bg-hover' : ''}`}
    >
      <Icon aria-hidden="true" className="size-4 flex-none text-muted" />
      <span className="min-w-0 truncate">{label}</span>
      {detail !== undefined && <span className="ms-auto min-w-0 truncate text-muted text-xs">{detail}</span>}
    </div>
  );
}
