import { Check, Copy, Download } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { Breakable } from './breakable.tsx';
import { Button } from './button.tsx';
import { toast } from './toaster.tsx';

const SHOWN_MS = 1500;

/** Copies, and says for a moment that it did. */
function useCopy(text: string): [copied: boolean, copy: () => void] {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  return [
    copied,
    () => {
      copyText(text).then(
        () => setCopied(true),
        () => toast.error('The browser blocked copying. Select the text and copy it manually.'),
      );
    },
  ];
}

/** The clipboard belongs to secure pages; elsewhere the selection is copied. */
async function copyText(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'fixed opacity-0';
  const focused = document.activeElement;
  (document.querySelector('dialog:modal') ?? document.body).append(area);
  area.select();
  const done = document.execCommand('copy');
  area.remove();
  if (focused instanceof HTMLElement) focused.focus();
  if (!done) throw new Error('not copied');
}

export function CopyButton({
  text,
  label = 'Copy',
  look = 'quiet',
  size = 'small',
}: {
  text: string;
  label?: string;
  look?: 'quiet' | 'primary' | 'plain';
  size?: 'small' | 'normal';
}) {
  const [copied, copy] = useCopy(text);
  const Icon = copied ? Check : Copy;
  return (
    <Button look={look} size={size} onClick={copy}>
      <Icon aria-hidden="true" className="size-3.5" />
      <span aria-live="polite">{copied ? 'Copied' : label}</span>
    </Button>
  );
}

interface IdProps {
  value: string;
  /** What it is, such as "project id". */
  name: string;
  /** Show only its end; for a digest, which people recognize by its start, the start. */
  short?: boolean | 'start';
}

/** An id in mono with a button that copies it. */
export function Id({ value, name, short = false }: IdProps) {
  const [copied, copy] = useCopy(value);
  const Icon = copied ? Check : Copy;
  const part = short === 'start' ? value.slice(0, 12) : endOf(value);
  return (
    <span className="inline-flex max-w-full items-center gap-1 align-middle font-mono text-[13px] [font-variant-ligatures:none]">
      <span className={short ? 'whitespace-nowrap' : 'min-w-0'} title={short ? value : undefined}>
        {short ? part : <Breakable text={value} />}
      </span>
      <button
        type="button"
        onClick={copy}
        aria-label={copied ? 'Copied' : `Copy ${name}`}
        title={copied ? 'Copied' : `Copy ${name}`}
        className="grid size-6 flex-none place-items-center rounded-md text-muted hover:bg-hover hover:text-text"
      >
        <Icon aria-hidden="true" className={`size-3.5 ${copied ? 'text-success' : ''}`} />
      </button>
    </span>
  );
}

function endOf(value: string): string {
  return value.length > 14 ? `${value.slice(0, value.indexOf('_') + 1)}…${value.slice(-6)}` : value;
}

interface SecretOnceProps {
  /** The secret: a key, a link. */
  value: string;
  /** What it is: "API key". */
  name: string;
  /** Name of the file that holds it when downloaded; without it, there is no download. */
  fileName?: string;
  /** What to do with it. */
  children?: ReactNode;
  /** The person says that it is kept safe. */
  onSaved: () => void;
}

/** A secret that is shown this once. Lives in a dialog with `dismissible={false}`. */
export function SecretOnce({ value, name, fileName, children, onSaved }: SecretOnceProps) {
  return (
    <div className="space-y-4">
      <p className="rounded-card border border-warning/40 bg-warning-soft p-3 text-sm">
        Save it now: this {name} is not shown again.
      </p>
      <textarea
        readOnly
        rows={value.length > 90 ? 3 : 2}
        aria-label={name}
        value={value}
        spellCheck={false}
        onFocus={(event) => event.currentTarget.select()}
        className="field-sizing-content block w-full resize-none break-all rounded-control border border-border-strong bg-sunken p-3 font-mono text-sm"
      />
      <div className="flex flex-wrap gap-2">
        <CopyButton text={value} label={`Copy ${name}`} size="normal" />
        {fileName !== undefined && (
          <Button look="quiet" onClick={() => downloadText(fileName, `${value}\n`)}>
            <Download aria-hidden="true" className="size-3.5" />
            Download
          </Button>
        )}
      </div>
      {children !== undefined && <div className="text-muted text-sm">{children}</div>}
      <div className="flex justify-end pt-1">
        <Button onClick={onSaved}>I have saved it</Button>
      </div>
    </div>
  );
}

/** Saves a text as a file of the person's. */
export function downloadText(name: string, text: string, type = 'text/plain'): void {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
