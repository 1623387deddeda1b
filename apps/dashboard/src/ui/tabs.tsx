import { ChevronLeft, ChevronRight } from 'lucide-react';
import { Tabs as Radix } from 'radix-ui';
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
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
  const hidden = useHidden(list, value);
  const scroll = (direction: number) =>
    list.current?.scrollBy({ left: direction * list.current.clientWidth * 0.7, behavior: 'smooth' });
  return (
    <Radix.Root value={value} onValueChange={choose}>
      <div className="relative -mx-4 border-b sm:mx-0">
        <Radix.List
          ref={list}
          aria-label={label}
          className="-mb-px scroll-px-12 flex gap-1 overflow-x-auto px-4 [scrollbar-width:none] sm:px-0"
        >
          {tabs.map((tab) => (
            <Radix.Trigger
              key={tab.value}
              value={tab.value}
              className="flex items-center gap-2 whitespace-nowrap border-transparent border-b-2 px-3 py-2.5 font-medium text-muted text-sm -outline-offset-2 transition-colors hover:text-text data-[state=active]:border-primary data-[state=active]:text-text sm:px-2 sm:text-[13px]"
            >
              {tab.label}
              {tab.aside}
            </Radix.Trigger>
          ))}
        </Radix.List>
        {hidden.before && <Edge side="start" onPress={() => scroll(-1)} />}
        {hidden.after && <Edge side="end" onPress={() => scroll(1)} />}
      </div>
      {tabs.map((tab) => (
        <Radix.Content key={tab.value} value={tab.value} className="pt-6">
          {tab.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}

/** Width of an edge, which covers tabs. */
const EDGE = 48;

/** Shows that there are more tabs, and scrolls to them. With a keyboard, the arrow keys go from tab to tab. */
function Edge({ side, onPress }: { side: 'start' | 'end'; onPress: () => void }) {
  const Icon = side === 'start' ? ChevronLeft : ChevronRight;
  const place =
    side === 'start' ? 'start-0 justify-start bg-gradient-to-r' : 'end-0 justify-end bg-gradient-to-l';
  return (
    <button
      type="button"
      tabIndex={-1}
      aria-hidden="true"
      onClick={onPress}
      className={`absolute inset-y-0 flex w-12 items-center from-60% from-bg to-transparent text-muted hover:text-text ${place}`}
    >
      <Icon className="size-5" />
    </button>
  );
}

/** Which sides have tabs out of sight. The active tab is scrolled into view when it or the room changes. */
function useHidden(list: RefObject<HTMLDivElement | null>, value: string) {
  const [hidden, setHidden] = useState({ before: false, after: false });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another tab was chosen
  useEffect(() => {
    const element = list.current;
    if (element === null) return;
    const measure = () => {
      const { scrollLeft, scrollWidth, clientWidth } = element;
      setHidden({ before: scrollLeft > 1, after: scrollLeft + clientWidth < scrollWidth - 1 });
    };
    const show = () => {
      const active = element.querySelector<HTMLElement>('[data-state=active]');
      if (active !== null) {
        // only the list: scrollIntoView would scroll the page, too
        const { offsetLeft: start, offsetWidth } = active;
        const latest = start - EDGE;
        const earliest = start + offsetWidth + EDGE - element.clientWidth;
        element.scrollLeft = Math.min(Math.max(element.scrollLeft, earliest), latest);
      }
      measure();
    };
    const observer = new ResizeObserver(show);
    observer.observe(element);
    element.addEventListener('scroll', measure, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', measure);
    };
  }, [value]);
  return hidden;
}
