import type { Project } from '@offprint/contract';
import { Button, Dialog, Field, Form, FormActions, Input } from '../ui/index.ts';
import { useCreatePreview } from './data.ts';

/** Asks for the branch of a preview. */
export function PreviewDialog({
  project,
  open,
  onClose,
}: {
  project: Project;
  open: boolean;
  onClose: () => void;
}) {
  const create = useCreatePreview(project.id);
  const close = () => {
    create.reset();
    onClose();
  };
  return (
    <Dialog
      open={open}
      onClose={close}
      title="Preview a branch"
      description="The branch is exported and served on a separate host. Anyone who has the URL can read it."
    >
      <Form
        error={create.error}
        onSubmit={(values) => create.mutate(String(values.get('branch') ?? '').trim(), { onSuccess: close })}
      >
        <Field label="Branch" param="/branch" help="A branch that has a preview keeps its URL.">
          {(control) => <Input {...control} name="branch" required autoComplete="off" spellCheck={false} />}
        </Field>
        <FormActions>
          <Button look="quiet" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" busy={create.isPending}>
            Create preview
          </Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}
