import { X } from 'lucide-react';
import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { Button } from './button.tsx';
import { Fault } from './fault.tsx';
import { findOpener } from './opener.ts';

interface DialogProps {
  open: boolean;
  onClose: () => void;
  title: string;
  description?: ReactNode;
  /** Default 480 px, wide 720 px. */
  wide?: boolean;
  /** False: only its own buttons close it, not Escape. */
  dismissible?: boolean;
  children: ReactNode;
}

/** A modal dialog; its content lives while it is open. The focus returns to where it was. */
export function Dialog({ open, ...rest }: DialogProps) {
  return open ? <OpenDialog {...rest} /> : null;
}

function OpenDialog({
  onClose,
  title,
  description,
  wide = false,
  dismissible = true,
  children,
}: Omit<DialogProps, 'open'>) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const descriptionId = useId();
  useLayoutEffect(() => {
    const element = dialog.current;
    const opener = findOpener();
    element?.showModal();
    // The first choice has the focus now; the chosen one is where the keys begin.
    const focused = document.activeElement;
    if (focused instanceof HTMLInputElement && focused.type === 'radio' && !focused.checked) {
      element?.querySelector<HTMLInputElement>(`input[name="${focused.name}"]:checked`)?.focus();
    }
    return () => {
      element?.close();
      // What opened it may be gone with what was done.
      if (opener?.isConnected) opener.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={titleId}
      aria-describedby={description === undefined ? undefined : descriptionId}
      onCancel={(event) => {
        event.preventDefault();
        if (dismissible && event.target === event.currentTarget) onClose();
      }}
      className={`m-auto max-h-[calc(100dvh-32px)] w-[calc(100vw-32px)] overflow-y-auto overscroll-contain rounded-dialog border border-border bg-bg p-5 text-text shadow-floating sm:p-6 ${wide ? 'max-w-180' : 'max-w-120'}`}
    >
      <div className="flex flex-col">
        <h2 id={titleId} className="pe-10 font-semibold text-lg leading-7">
          {title}
        </h2>
        {description !== undefined && (
          <div id={descriptionId} className="mt-1 text-muted text-sm">
            {description}
          </div>
        )}
        <div className="mt-5">{children}</div>
      </div>
      {dismissible && (
        <button
          type="button"
          aria-label="Close"
          onClick={onClose}
          className="absolute end-4 top-4 grid size-8 place-items-center rounded-control text-muted hover:bg-hover hover:text-text"
        >
          <X aria-hidden="true" className="size-4" />
        </button>
      )}
    </dialog>
  );
}

interface ConfirmDialogProps {
  open: boolean;
  onClose: () => void;
  /** The question: "Revoke the key CI?". */
  title: string;
  /** What stops working. */
  children: ReactNode;
  /** The act, named: "Revoke key". */
  action: string;
  onConfirm: () => void;
  busy?: boolean;
  error?: unknown;
  /** Default: the act destroys something. */
  look?: 'danger' | 'primary';
  /** The way out, where "Cancel" could be taken for the act. */
  keep?: string;
}

/** Asks before something is done that cannot be undone. */
export function ConfirmDialog({
  open,
  onClose,
  title,
  children,
  action,
  onConfirm,
  busy = false,
  error = null,
  look = 'danger',
  keep = 'Cancel',
}: ConfirmDialogProps) {
  return (
    <Dialog open={open} onClose={onClose} title={title}>
      <div className="space-y-3 text-sm">{children}</div>
      {error !== null && error !== undefined && (
        <div className="mt-4">
          <Fault error={error} />
        </div>
      )}
      <div className="mt-6 flex flex-wrap justify-end gap-2">
        <Button look="quiet" onClick={onClose}>
          {keep}
        </Button>
        <Button look={look} busy={busy} onClick={onConfirm}>
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
