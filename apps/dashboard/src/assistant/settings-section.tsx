import type { AssistantSettings, Project, UpdateAssistantSettingsBody } from '@offprint/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../api.ts';
import { useOrganizationId } from '../path-params.ts';
import {
  Button,
  Field,
  Form,
  FormActions,
  Input,
  Loaded,
  Notice,
  Section,
  Select,
  Skeleton,
  Textarea,
  toast,
  useGate,
} from '../ui/index.ts';
import { EmbeddingsFields, embeddingsOf } from './embeddings-fields.tsx';

/** While vectors are made. */
const PENDING_MS = 5_000;

/** Settings of the assistant of a project. */
export function SettingsSection({ project }: { project: Project }) {
  const api = useApi();
  const organizationId = useOrganizationId();
  const query = useQuery({
    queryKey: [organizationId, 'projects', project.id, 'assistant', 'settings'],
    queryFn: ({ signal }) => api.getAssistantSettings(project.id, { signal }),
    refetchInterval: ({ state }) => (state.data?.embeddings?.state === 'pending' ? PENDING_MS : false),
  });
  return (
    <Section
      title="Assistant"
      description="Answers questions of readers from the pages of the site. Instructions are files of the docs: .mintlify/Assistant.md and skills beside it."
    >
      <Loaded query={query} fault="The settings did not load" skeleton={<Skeleton shape="card" />}>
        {(settings) => (
          <>
            {settings.reason !== null && (
              <Notice title="Readers get no answers yet">{settings.reason}</Notice>
            )}
            <SettingsForm key={settings.updatedAt} project={project} settings={settings} />
          </>
        )}
      </Loaded>
    </Section>
  );
}

/** Lines of a text that are not empty. */
const linesOf = (value: FormDataEntryValue | null): string[] =>
  String(value ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

function deflectionOf(kind: string, target: string): UpdateAssistantSettingsBody['deflection'] {
  if (kind === 'email') return { kind, email: target };
  return kind === 'link' ? { kind, url: target } : { kind: 'none' };
}

function SettingsForm({ project, settings }: { project: Project; settings: AssistantSettings }) {
  const api = useApi();
  const organizationId = useOrganizationId();
  const queries = useQueryClient();
  const gate = useGate({ role: 'admin' });
  const { deflection } = settings;
  const [kind, setKind] = useState<string>(deflection.kind);
  const save = useMutation({
    mutationFn: (body: UpdateAssistantSettingsBody) => api.updateAssistantSettings(project.id, body),
    onSuccess: (saved) => {
      queries.setQueryData([organizationId, 'projects', project.id, 'assistant', 'settings'], saved);
      toast('Assistant saved.');
    },
  });
  const submit = (values: FormData) =>
    save.mutate({
      model: String(values.get('model') ?? '').trim() || null,
      starterQuestions: linesOf(values.get('starterQuestions')),
      deflection: deflectionOf(kind, String(values.get('target') ?? '').trim()),
      allowedOrigins: linesOf(values.get('allowedOrigins')),
      embeddings: embeddingsOf(values),
    });
  const target =
    deflection.kind === 'email' ? deflection.email : deflection.kind === 'link' ? deflection.url : '';
  return (
    <Form error={save.error} onSubmit={submit} className="max-w-160">
      <Field
        label="Starter questions"
        optional
        param="/starterQuestions"
        help="Up to three, one a line. Readers see them before their first question."
      >
        {(control) => (
          <Textarea
            {...control}
            name="starterQuestions"
            rows={3}
            defaultValue={settings.starterQuestions.join('\n')}
          />
        )}
      </Field>
      <Field label="Unanswered questions" help="Where readers go whose question the docs do not answer.">
        {(control) => (
          <Select {...control} value={kind} onChange={(event) => setKind(event.currentTarget.value)}>
            <option value="none">Nothing</option>
            <option value="email">An email address</option>
            <option value="link">A link</option>
          </Select>
        )}
      </Field>
      {kind !== 'none' && (
        <Field
          label={kind === 'email' ? 'Email address' : 'URL'}
          param={kind === 'email' ? '/deflection/email' : '/deflection/url'}
          help={kind === 'email' ? undefined : 'Gets the id of the conversation as threadId.'}
        >
          {(control) => (
            <Input
              {...control}
              name="target"
              type={kind === 'email' ? 'email' : 'url'}
              defaultValue={target}
            />
          )}
        </Field>
      )}
      <Field label="Model" optional param="/model" help="Another model of the provider of the agent.">
        {(control) => (
          <Input
            {...control}
            name="model"
            defaultValue={settings.model ?? ''}
            placeholder={settings.usesModel ?? ''}
            spellCheck={false}
          />
        )}
      </Field>
      <Field
        label="Other sites"
        optional
        param="/allowedOrigins"
        help="Origins that may embed the assistant in a frame, one a line, such as https://www.example.com."
      >
        {(control) => (
          <Textarea
            {...control}
            name="allowedOrigins"
            rows={2}
            defaultValue={settings.allowedOrigins.join('\n')}
            spellCheck={false}
          />
        )}
      </Field>
      <EmbeddingsFields embeddings={settings.embeddings} />
      <FormActions>
        <Button type="submit" busy={save.isPending} reason={gate}>
          Save
        </Button>
      </FormActions>
    </Form>
  );
}
