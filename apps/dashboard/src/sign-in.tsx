import { type FormEvent, useState } from 'react';
import { createApi } from './session.ts';
import { Button, Fault, Field } from './ui/parts.tsx';

export function SignIn({ onKey }: { onKey: (key: string) => void }) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const key = String(new FormData(event.currentTarget).get('key')).trim();
    setBusy(true);
    setError(null);
    try {
      await createApi(key).getOrganization();
      onKey(key);
    } catch (fault) {
      setError(fault);
      setBusy(false);
    }
  }
  return (
    <main className="grid min-h-dvh place-items-center p-4">
      <form
        onSubmit={submit}
        className="w-full max-w-[420px] rounded-2xl border border-line bg-raised p-6 sm:p-8"
      >
        <img src="./mark.svg" alt="" width="40" height="40" />
        <h1 className="mt-4 font-semibold text-2xl tracking-tight">Sign in to Offprint</h1>
        <p className="mt-1 mb-6 text-muted">With an admin key of your organization.</p>
        <Field
          label="Admin key"
          help="`npm start` prints one. It stays in this tab and is forgotten when you close it."
        >
          {(id) => (
            <input
              id={id}
              name="key"
              type="password"
              autoComplete="off"
              spellCheck={false}
              required
              placeholder="offprint_…"
              className="w-full rounded-lg border border-line-strong bg-bg px-3 py-2 font-mono text-sm"
            />
          )}
        </Field>
        {error !== null && <Fault error={error} />}
        <Button type="submit" busy={busy} className="mt-5 w-full">
          Sign in
        </Button>
      </form>
    </main>
  );
}
