import { BookOpen, CircleQuestionMark, History, Keyboard } from 'lucide-react';
import { use } from 'react';
import { useDocsUrl } from '../docs-url.ts';
import { Menu, MenuAnchor, MenuItem, MenuLabel, MenuSeparator } from '../ui/menu.tsx';
import { VERSION } from '../version.ts';
import { OpenOverlay } from './shortcuts.ts';

const ICON = 'size-4 text-muted';

/** Documentation, changelog, shortcuts and the version. */
export function HelpMenu() {
  const open = use(OpenOverlay);
  const docs = useDocsUrl();
  return (
    <Menu
      label="Help"
      align="start"
      side="top"
      trigger={
        <button
          type="button"
          aria-label="Help"
          className="grid size-9 flex-none place-items-center rounded-control text-muted hover:bg-hover hover:text-text data-[state=open]:bg-hover"
        >
          <CircleQuestionMark aria-hidden="true" className="size-4.5" />
        </button>
      }
    >
      {docs !== null && (
        <MenuAnchor href={docs} icon={<BookOpen aria-hidden="true" className={ICON} />}>
          Documentation
        </MenuAnchor>
      )}
      <MenuAnchor href="/changelog.txt" icon={<History aria-hidden="true" className={ICON} />}>
        Changelog
      </MenuAnchor>
      <MenuItem onSelect={() => open('shortcuts')} icon={<Keyboard aria-hidden="true" className={ICON} />}>
        Keyboard shortcuts
      </MenuItem>
      <MenuSeparator />
      <MenuLabel>Offprint {VERSION}</MenuLabel>
    </Menu>
  );
}
