import { ChevronDown, Eye, EyeOff } from 'lucide-react';
import {
  type ComponentProps,
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  useId,
  useState,
} from 'react';

export function Input({ className = '', ...rest }: ComponentProps<'input'>) {
  return <input type="text" {...rest} className={`control ${className}`} />;
}

/** An input that shows what was typed when asked to. */
export function PasswordInput({ className = '', ...rest }: ComponentProps<'input'>) {
  const [shown, setShown] = useState(false);
  const Icon = shown ? EyeOff : Eye;
  return (
    <div className="relative">
      <input
        spellCheck={false}
        autoCapitalize="off"
        {...rest}
        type={shown ? 'text' : 'password'}
        className={`control pe-11 ${className}`}
      />
      <button
        type="button"
        aria-label="Show password"
        aria-pressed={shown}
        onClick={() => setShown(!shown)}
        className="absolute inset-y-0 end-0 grid w-10 place-items-center rounded-control text-muted hover:text-text"
      >
        <Icon aria-hidden="true" className="size-4" />
      </button>
    </div>
  );
}

export function Textarea({ className = '', rows = 4, ...rest }: ComponentProps<'textarea'>) {
  return <textarea rows={rows} {...rest} className={`control block resize-y ${className}`} />;
}

export function Select({ className = '', children, ...rest }: SelectHTMLAttributes<HTMLSelectElement>) {
  return (
    <span className={`relative block ${className}`}>
      <select {...rest} className="control appearance-none truncate pe-9">
        {children}
      </select>
      <ChevronDown
        aria-hidden="true"
        className="pointer-events-none absolute inset-y-0 end-3 my-auto size-4 text-muted"
      />
    </span>
  );
}

interface ChoiceProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'type'> {
  label: ReactNode;
  help?: ReactNode;
}

export function Checkbox({ label, help, className = '', ...rest }: ChoiceProps) {
  const helpId = useId();
  return (
    <label className={`flex cursor-pointer items-start gap-2.5 text-sm ${className}`}>
      <input
        type="checkbox"
        aria-describedby={help === undefined ? undefined : helpId}
        {...rest}
        className="mt-[3px] size-4 flex-none accent-primary"
      />
      <ChoiceText label={label} help={help} helpId={helpId} />
    </label>
  );
}

/** On or off, at once. */
export function Switch({ label, help, className = '', ...rest }: ChoiceProps) {
  const helpId = useId();
  return (
    <label className={`flex cursor-pointer items-start gap-3 text-sm ${className}`}>
      <input
        type="checkbox"
        // biome-ignore lint/a11y/useAriaPropsForRole: a checkbox says by itself whether it is checked
        role="switch"
        aria-describedby={help === undefined ? undefined : helpId}
        {...rest}
        className="switch"
      />
      <ChoiceText label={label} help={help} helpId={helpId} />
    </label>
  );
}

function ChoiceText({ label, help, helpId }: { label: ReactNode; help: ReactNode; helpId: string }) {
  return (
    <span className="min-w-0 self-baseline">
      <span className="block leading-6">{label}</span>
      {help !== undefined && (
        <span id={helpId} className="block text-muted">
          {help}
        </span>
      )}
    </span>
  );
}

export interface RadioCard<Value extends string> {
  value: Value;
  label: string;
  help?: ReactNode;
  /** Why it cannot be chosen. */
  reason?: string | null;
}

interface RadioCardsProps<Value extends string> {
  label: string;
  name: string;
  options: readonly RadioCard<Value>[];
  /** Without it, the form keeps the choice. */
  value?: Value;
  defaultValue?: Value;
  onChange?: (value: Value) => void;
  /** Cards in a row where there is room; default 3. */
  columns?: 1 | 2 | 3;
  /** The label is read out but not shown: a heading above says it. */
  hideLabel?: boolean;
}

const COLUMNS = { 1: '', 2: 'sm:grid-cols-2', 3: 'sm:grid-cols-3' };

/** One of a few, each with what it means. */
export function RadioCards<Value extends string>({
  label,
  name,
  options,
  value,
  defaultValue,
  onChange,
  columns = 3,
  hideLabel = false,
}: RadioCardsProps<Value>) {
  const id = useId();
  return (
    <fieldset>
      <legend className={hideLabel ? 'sr-only' : 'mb-1.5 font-medium text-sm'}>{label}</legend>
      <div className={`grid gap-2.5 ${COLUMNS[columns]}`}>
        {options.map((option) => {
          const off = option.reason !== undefined && option.reason !== null;
          return (
            <label
              key={option.value}
              className={`flex gap-2.5 rounded-card border border-border-strong p-3.5 text-sm transition-colors has-checked:border-primary has-checked:bg-primary-soft has-focus-visible:outline-2 has-focus-visible:outline-primary has-focus-visible:outline-offset-2 ${off ? 'cursor-not-allowed text-muted' : 'cursor-pointer hover:border-control'}`}
            >
              <input
                type="radio"
                name={name}
                value={option.value}
                disabled={off}
                aria-labelledby={`${id}-${option.value}`}
                aria-describedby={`${id}-${option.value}-help`}
                {...(value === undefined
                  ? { defaultChecked: option.value === defaultValue }
                  : { checked: option.value === value })}
                onChange={() => onChange?.(option.value)}
                className="mt-1 size-4 flex-none accent-primary outline-none"
              />
              <span className="min-w-0">
                <span id={`${id}-${option.value}`} className="block font-medium leading-6">
                  {option.label}
                </span>
                <span id={`${id}-${option.value}-help`} className="block text-muted">
                  {option.help}
                  {off && <span className="mt-1 block">{option.reason}</span>}
                </span>
              </span>
            </label>
          );
        })}
      </div>
    </fieldset>
  );
}
