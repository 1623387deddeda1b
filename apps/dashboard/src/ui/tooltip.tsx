import { Tooltip as Radix } from 'radix-ui';
import { type ReactElement, useState } from 'react';

/** A short text beside a control on hover and focus. The control must have a name without it. */
export function Tooltip({ text, children }: { text: string; children: ReactElement }) {
  const [layer, setLayer] = useState<HTMLElement | null>(null);
  return (
    <Radix.Provider delayDuration={400} skipDelayDuration={200}>
      <Radix.Root onOpenChange={(open) => open && setLayer(topLayer())}>
        <Radix.Trigger asChild>{children}</Radix.Trigger>
        <Radix.Portal container={layer}>
          <Radix.Content
            sideOffset={6}
            collisionPadding={8}
            className="z-50 max-w-72 rounded-control bg-text px-2.5 py-1.5 text-bg text-xs leading-5 shadow-floating"
          >
            {text}
          </Radix.Content>
        </Radix.Portal>
      </Radix.Root>
    </Radix.Provider>
  );
}

/** The open dialog, which covers everything outside it; else the page. */
export function topLayer(): HTMLElement | null {
  return [...document.querySelectorAll<HTMLDialogElement>('dialog:modal')].at(-1) ?? null;
}
