import { Plus, X } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import { Button, Field, IconButton, Input } from '../ui/index.ts';
import { readDomain } from './domain-input.ts';

/** A list of domains with one more being typed. */
export function useDomains(initial: readonly string[]) {
  const [domains, setDomains] = useState<readonly string[]>(initial);
  const [text, setText] = useState('');
  const [fault, setFault] = useState<{ sentence: string; suggestion: string | null } | null>(null);

  /** Adds the typed text to the list. Returns the list, or null for an invalid host name. */
  function commit(typed = text): readonly string[] | null {
    if (typed.trim() === '') return domains;
    const read = readDomain(typed, domains);
    if (read.domain === null) {
      setFault({ sentence: read.fault, suggestion: read.suggestion });
      return null;
    }
    const next = [...domains, read.domain];
    setDomains(next);
    setText('');
    setFault(null);
    return next;
  }
  return {
    domains,
    text,
    fault,
    commit,
    type: (typed: string) => {
      setText(typed);
      setFault(null);
    },
    remove: (domain: string) => setDomains(domains.filter((each) => each !== domain)),
    reset: (to: readonly string[]) => {
      setDomains(to);
      setText('');
      setFault(null);
    },
  };
}

/** The domains of a project, each with a button that takes it away, and a field for one more. */
export function DomainsField({
  field,
  help,
  optional = false,
  disabled = false,
}: {
  field: ReturnType<typeof useDomains>;
  help: ReactNode;
  optional?: boolean;
  disabled?: boolean;
}) {
  const listId = useId();
  const { domains, text, fault } = field;
  function enter(event: KeyboardEvent) {
    if (event.key !== 'Enter' || text.trim() === '') return;
    event.preventDefault();
    field.commit();
  }
  return (
    <div>
      {domains.length > 0 && (
        <p id={listId} className="mb-1.5 font-medium text-sm">
          {domains.length === 1 ? 'Domain' : 'Domains'}
        </p>
      )}
      {domains.length > 0 && (
        <ul aria-labelledby={listId} className="mb-3 divide-y rounded-card border">
          {domains.map((domain) => (
            <li
              key={domain}
              className="flex min-h-11 items-center justify-between gap-3 py-1.5 ps-4 pe-2 text-sm"
            >
              <span className="min-w-0 break-words">{domain}</span>
              {!disabled && (
                <IconButton label={`Remove ${domain}`} onClick={() => field.remove(domain)}>
                  <X aria-hidden="true" className="size-4" />
                </IconButton>
              )}
            </li>
          ))}
        </ul>
      )}
      {!disabled && (
        <Field
          label={domains.length === 0 ? 'Domain' : 'Another domain'}
          param="/domains"
          optional={optional || domains.length > 0}
          error={fault?.sentence ?? null}
          help={
            fault?.suggestion != null ? (
              <>
                Did you mean{' '}
                <button type="button" className="link" onClick={() => field.commit(fault.suggestion!)}>
                  {fault.suggestion}
                </button>
                ?
              </>
            ) : (
              help
            )
          }
        >
          {(control) => (
            <div className="flex gap-2">
              <Input
                {...control}
                value={text}
                onChange={({ target }) => field.type(target.value)}
                onKeyDown={enter}
                placeholder="docs.example.com"
                spellCheck={false}
                autoCapitalize="off"
                autoComplete="off"
                inputMode="url"
              />
              <Button look="quiet" onClick={() => field.commit()}>
                <Plus aria-hidden="true" className="size-4" />
                Add
              </Button>
            </div>
          )}
        </Field>
      )}
    </div>
  );
}
