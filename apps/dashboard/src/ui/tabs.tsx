import { Tabs as Radix } from 'radix-ui';
import { type ReactNode, useEffect, useRef } from 'react';
import { useSearchParam } from './search-param.ts';

export interface Tab {
  value: string;
  label: string;
  /** A number or a badge after the label. */
  aside?: ReactNode;
  content: ReactNode;
}

/** Tabs that the address remembers, as `?tab=`. The first is the default. */
export function Tabs({ label, tabs, name = 'tab' }: { label: string; tabs: readonly Tab[]; name?: string }) {
  const first = tabs[0]?.value ?? '';
  const [chosen, choose] = useSearchParam(name, first);
  const value = tabs.some((tab) => tab.value === chosen) ? chosen : first;
  const list = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another tab was chosen
  useEffect(() => {
    list.current
      ?.querySelector('[data-state=active]')
      ?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [value]);
  return (
    <Radix.Root value={value} onValueChange={choose}>
      <Radix.List
        ref={list}
        aria-label={label}
        className="-mx-4 flex gap-1 overflow-x-auto border-b px-4 sm:mx-0 sm:px-0"
      >
        {tabs.map((tab) => (
          <Radix.Trigger
            key={tab.value}
            value={tab.value}
            className="-mb-px flex items-center gap-2 whitespace-nowrap border-transparent border-b-2 px-3 py-2.5 font-medium text-muted text-sm -outline-offset-2 transition-colors hover:text-text data-[state=active]:border-primary data-[state=active]:text-text"
          >
            {tab.label}
            {tab.aside}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map((tab) => (
        <Radix.Content key={tab.value} value={tab.value} className="pt-6">
          {tab.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}
