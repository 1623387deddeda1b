import { Search } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Input, useSearchParam } from '../ui/index.ts';

const TYPING_MS = 250;

/** The text searched for, as the address keeps it. */
export function useSearch(): [string, (text: string) => void] {
  return useSearchParam('search');
}

interface SearchBoxProps {
  label: string;
  value: string;
  onChange: (text: string) => void;
}

/** Searches a moment after the last key. */
export function SearchBox({ label, value, onChange }: SearchBoxProps) {
  const [text, setText] = useState(value);
  useEffect(() => {
    if (text.trim() === value) return;
    const timer = setTimeout(() => onChange(text.trim()), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text, value, onChange]);
  return (
    <div className="relative mb-4 max-w-90">
      <Search
        aria-hidden="true"
        className="pointer-events-none absolute inset-y-0 start-3 my-auto size-4 text-muted"
      />
      <Input
        type="search"
        aria-label={label}
        placeholder={label}
        maxLength={200}
        value={text}
        onChange={(event) => setText(event.target.value)}
        className="ps-9"
      />
    </div>
  );
}
