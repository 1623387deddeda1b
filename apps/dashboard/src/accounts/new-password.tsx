import { Field, PasswordInput } from '../ui/index.ts';

/** A field for a password that is being chosen. */
export function NewPassword({ param = '/password', label = 'Password' }: { param?: string; label?: string }) {
  return (
    <Field
      label={label}
      param={param}
      help="At least 12 characters. Several unrelated words make a strong password."
    >
      {(control) => (
        <PasswordInput
          {...control}
          name={param.slice(1)}
          required
          minLength={12}
          maxLength={200}
          autoComplete="new-password"
        />
      )}
    </Field>
  );
}
