import { ApiError } from '@offprint/client';
import { CircleAlert } from 'lucide-react';
import {
  createContext,
  type FormEvent,
  type ReactNode,
  use,
  useCallback,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react';
import { messageOf, RequestId } from './fault.tsx';

interface FormFault {
  /** The sentence for a field, by its JSON pointer; null where nothing is wrong with it. */
  at(param: string, label: string): string | null;
  register(param: string, id: string, label: string): () => void;
  error: unknown;
  /** The field that the error names. */
  field: { id: string; label: string } | null;
}

const FormContext = createContext<FormFault | null>(null);

/** The field that an error of the API names by `param`: `/domains/0` belongs to `/domains`. */
function useFormFault(error: unknown): FormFault {
  const [fields, setFields] = useState<ReadonlyMap<string, { id: string; label: string }>>(new Map());
  const register = useCallback((param: string, id: string, label: string) => {
    setFields((before) => new Map(before).set(param, { id, label }));
    return () =>
      setFields((before) => {
        const after = new Map(before);
        after.delete(param);
        return after;
      });
  }, []);
  return useMemo(() => {
    const pointer = error instanceof ApiError ? error.param : null;
    const named = pointer === null ? undefined : [...fields.keys()].find((param) => covers(param, pointer));
    return {
      error,
      register,
      field: named === undefined ? null : fields.get(named)!,
      at: (param, label) =>
        pointer !== null && covers(param, pointer) ? sentenceFor(label, pointer, messageOf(error)) : null,
    };
  }, [error, fields, register]);
}

function covers(param: string, pointer: string): boolean {
  return pointer === param || pointer.startsWith(`${param}/`);
}

/** Sentences of the API start with the name of the field in the request; people know its label. */
function sentenceFor(label: string, pointer: string, message: string): string {
  const name = nameOf(pointer);
  return message.startsWith(`${name} `) ? `${label} ${message.slice(name.length + 1)}` : message;
}

/** `source.url` of `/source/url`, `paths[1]` of `/paths/1`: as the API writes them in sentences. */
function nameOf(pointer: string): string {
  return pointer
    .slice(1)
    .split('/')
    .map((part, index) => (/^\d+$/.test(part) ? `[${part}]` : `${index === 0 ? '' : '.'}${part}`))
    .join('');
}

interface FormProps {
  /** The error of the last attempt: shown at the field that it names, and summarized above. */
  error?: unknown;
  onSubmit: (values: FormData) => void;
  children: ReactNode;
  className?: string;
}

/** A form whose fields know what is wrong with them. */
export function Form({ error = null, onSubmit, children, className = '' }: FormProps) {
  const fault = useFormFault(error);
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    onSubmit(new FormData(event.currentTarget));
  }
  return (
    <FormContext value={fault}>
      <form onSubmit={submit} className={`space-y-5 ${className}`}>
        <FormError fault={fault} />
        {children}
      </form>
    </FormContext>
  );
}

/** What is wrong, with the way to the field. Takes the focus when it comes. */
function FormError({ fault }: { fault: FormFault }) {
  const { error, field } = fault;
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (error === null || error === undefined) return;
    const target = field === null ? box.current : document.getElementById(field.id);
    target?.focus();
  }, [error, field]);
  if (error === null || error === undefined) return null;
  return (
    <div
      ref={box}
      role="alert"
      tabIndex={-1}
      className="flex gap-3 rounded-card border border-danger/40 bg-danger-soft p-3 text-sm outline-none"
    >
      <CircleAlert aria-hidden="true" className="mt-0.5 size-4 flex-none text-danger" />
      <div className="min-w-0 flex-1">
        {field === null ? (
          <>
            <p>{messageOf(error)}</p>
            {isOurs(error) && <RequestId error={error} />}
          </>
        ) : (
          <p>
            Nothing was saved. Check the field{' '}
            <a className="link" href={`#${field.id}`}>
              {field.label}
            </a>
            .
          </p>
        )}
      </div>
    </div>
  );
}

/** Whether the log of the server can say more than the sentence does. */
function isOurs(error: unknown): boolean {
  return error instanceof ApiError && error.status >= 500;
}

/** What a control of a field is given. */
export interface ControlProps {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': true | undefined;
}

interface FieldProps {
  label: string;
  help?: ReactNode;
  /** JSON pointer of the field in the body of the call: `/name`. */
  param?: string;
  /** What is wrong with it as the page itself sees it. */
  error?: string | null;
  /** Marks what may be left out. */
  optional?: boolean;
  /** Beside the label, at the end of the line. */
  aside?: ReactNode;
  children: (control: ControlProps) => ReactNode;
}

/** Label above, help and the error below. */
export function Field({ label, help, param, error = null, optional = false, aside, children }: FieldProps) {
  const id = useId();
  const form = use(FormContext);
  const register = form?.register;
  useEffect(
    () => (param === undefined ? undefined : register?.(param, id, label)),
    [register, param, id, label],
  );
  const message = error ?? (param === undefined ? null : (form?.at(param, label) ?? null));
  const described = [help === undefined ? '' : `${id}-help`, message === null ? '' : `${id}-error`]
    .filter(Boolean)
    .join(' ');
  return (
    <div>
      <div className="mb-1.5 flex items-baseline justify-between gap-4 text-sm">
        <label htmlFor={id} className="font-medium">
          {label}
          {optional && <span className="font-normal text-muted"> (optional)</span>}
        </label>
        {aside}
      </div>
      {children({
        id,
        'aria-describedby': described === '' ? undefined : described,
        'aria-invalid': message === null ? undefined : true,
      })}
      {message !== null && (
        <p id={`${id}-error`} className="mt-1.5 flex gap-1.5 text-danger text-sm">
          <CircleAlert aria-hidden="true" className="mt-1 size-3.5 flex-none" />
          {message}
        </p>
      )}
      {help !== undefined && (
        <p id={`${id}-help`} className="mt-1.5 text-muted text-sm">
          {help}
        </p>
      )}
    </div>
  );
}

/** The buttons of a form: the one that sends it first in the eye, at the end of the line. */
export function FormActions({ children }: { children: ReactNode }) {
  return <div className="flex flex-wrap items-center justify-end gap-2 pt-1">{children}</div>;
}
