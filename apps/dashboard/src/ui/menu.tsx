import { Link, type LinkProps } from '@tanstack/react-router';
import { Check, Ellipsis, ExternalLink } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import { type ReactElement, type ReactNode, useRef, useState } from 'react';
import { rememberTrigger } from './opener.ts';
import { topLayer } from './tooltip.tsx';

interface MenuProps {
  /** The button that opens it; without one, three dots with `label` as name. */
  trigger?: ReactElement;
  label: string;
  align?: 'start' | 'end';
  side?: 'top' | 'bottom';
  /** At least as wide as its button. */
  fill?: boolean;
  children: ReactNode;
}

/** A menu of acts and links. Not modal, so that it adds no style element, which the policy forbids. */
export function Menu({ trigger, label, align = 'end', side = 'bottom', fill = false, children }: MenuProps) {
  const [layer, setLayer] = useState<HTMLElement | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  function opening(open: boolean) {
    if (!open) return;
    setLayer(topLayer());
    rememberTrigger(button.current);
  }
  return (
    <DropdownMenu.Root modal={false} onOpenChange={opening}>
      <DropdownMenu.Trigger asChild ref={button}>
        {trigger ?? (
          <button
            type="button"
            aria-label={label}
            className="grid size-8 flex-none place-items-center rounded-control text-muted hover:bg-hover hover:text-text data-[state=open]:bg-hover"
          >
            <Ellipsis aria-hidden="true" className="size-4" />
          </button>
        )}
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal container={layer}>
        <DropdownMenu.Content
          aria-label={label}
          align={align}
          side={side}
          sideOffset={4}
          collisionPadding={8}
          // At once: the menu would restore the focus a moment later, and a quick keypress would be lost.
          onEscapeKeyDown={() => button.current?.focus()}
          className={`z-40 max-h-(--radix-dropdown-menu-content-available-height) min-w-48 max-w-80 overflow-y-auto rounded-card border border-border-strong bg-bg p-1 text-sm shadow-floating ${fill ? 'w-(--radix-dropdown-menu-trigger-width)' : ''}`}
        >
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

const ITEM =
  'flex w-full min-h-9 select-none items-center gap-2.5 rounded-control px-2.5 py-1.5 text-start outline-none data-highlighted:bg-hover data-disabled:opacity-50';

interface MenuItemProps {
  icon?: ReactNode;
  children: ReactNode;
  onSelect: () => void;
  danger?: boolean;
  disabled?: boolean;
}

export function MenuItem({ icon, children, onSelect, danger = false, disabled = false }: MenuItemProps) {
  return (
    <DropdownMenu.Item
      disabled={disabled}
      onSelect={onSelect}
      className={`${ITEM} cursor-pointer ${danger ? 'text-danger' : ''}`}
    >
      {icon}
      {children}
    </DropdownMenu.Item>
  );
}

export function MenuLink({ icon, children, ...rest }: { icon?: ReactNode; children: ReactNode } & LinkProps) {
  return (
    <DropdownMenu.Item asChild>
      <Link {...(rest as LinkProps)} className={ITEM}>
        {icon}
        {children}
      </Link>
    </DropdownMenu.Item>
  );
}

/** A link that opens in a new tab. */
export function MenuAnchor({
  icon,
  children,
  href,
}: {
  icon?: ReactNode;
  children: ReactNode;
  href: string;
}) {
  return (
    <DropdownMenu.Item asChild>
      <a href={href} target="_blank" rel="noopener noreferrer" className={ITEM}>
        {icon}
        <span className="flex-1">{children}</span>
        <ExternalLink aria-hidden="true" className="size-3.5 text-muted" />
        <span className="sr-only"> (opens in a new tab)</span>
      </a>
    </DropdownMenu.Item>
  );
}

export function MenuLabel({ children }: { children: ReactNode }) {
  return <DropdownMenu.Label className="px-2.5 pt-2 pb-1 text-muted text-xs">{children}</DropdownMenu.Label>;
}

export function MenuSeparator() {
  return <DropdownMenu.Separator className="-mx-1 my-1 h-px bg-border" />;
}

interface MenuChoiceProps<Value extends string> {
  value: Value;
  options: readonly { value: Value; label: string; icon?: ReactNode }[];
  onChange: (value: Value) => void;
}

/** One of several, chosen in the menu. */
export function MenuChoice<Value extends string>({ value, options, onChange }: MenuChoiceProps<Value>) {
  return (
    <DropdownMenu.RadioGroup value={value} onValueChange={(next) => onChange(next as Value)}>
      {options.map((option) => (
        <DropdownMenu.RadioItem key={option.value} value={option.value} className={`${ITEM} cursor-pointer`}>
          {option.icon}
          <span className="flex-1">{option.label}</span>
          <DropdownMenu.ItemIndicator>
            <Check aria-hidden="true" className="size-4 text-primary" />
          </DropdownMenu.ItemIndicator>
        </DropdownMenu.RadioItem>
      ))}
    </DropdownMenu.RadioGroup>
  );
}
