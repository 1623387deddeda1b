import { type ReactNode, useEffect, useId, useState } from 'react';
import { Input, Select } from './controls.tsx';
import { upperFirst } from './format.ts';

/** What a list is narrowed by, above it. `label`: what the list is of. */
export function Filters({ label, children }: { label: string; children: ReactNode }) {
  return (
    <search aria-label={label} className="mb-4 flex flex-wrap items-end gap-x-3 gap-y-2.5">
      {children}
    </search>
  );
}

interface FilterSelectProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  /** Name of the choice '' that does not filter; without a name, the choice is not offered. */
  all?: string;
  options: readonly { value: string; label: string }[];
  className?: string;
}

export function FilterSelect({
  label,
  value,
  onChange,
  all,
  options,
  className = 'sm:w-44',
}: FilterSelectProps) {
  const id = useId();
  return (
    <div className={`min-w-0 max-sm:min-w-32 max-sm:flex-1 ${className}`}>
      <label htmlFor={id} className="mb-1 block text-muted text-xs">
        {label}
      </label>
      <Select id={id} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {all !== undefined && <option value="">{all}</option>}
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </Select>
    </div>
  );
}

interface StatusFilterProps {
  /** Undefined: any. */
  value: string | undefined;
  onChange: (value: string) => void;
  states: readonly string[];
}

export function StatusFilter({ value = '', onChange, states }: StatusFilterProps) {
  const options = states.map((state) => ({ value: state, label: upperFirst(state) }));
  return <FilterSelect label="Status" all="Any status" value={value} onChange={onChange} options={options} />;
}

/** Milliseconds without a key after which what was typed counts. */
const REST_MS = 400;

interface FilterInputProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  type?: 'search' | 'date';
  placeholder?: string;
  className?: string;
}

/** Takes what was typed after a rest, so that not every letter asks the server. */
export function FilterInput({
  label,
  value,
  onChange,
  type = 'search',
  placeholder,
  className = 'sm:w-52',
}: FilterInputProps) {
  const id = useId();
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    if (typed === value) return;
    const timer = setTimeout(() => onChange(typed), type === 'search' ? REST_MS : 0);
    return () => clearTimeout(timer);
  }, [typed, value, onChange, type]);
  return (
    <div className={`min-w-0 max-sm:min-w-32 max-sm:flex-1 ${className}`}>
      <label htmlFor={id} className="mb-1 block text-muted text-xs">
        {label}
      </label>
      <Input
        id={id}
        type={type}
        value={typed}
        placeholder={placeholder}
        spellCheck={false}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
    </div>
  );
}
