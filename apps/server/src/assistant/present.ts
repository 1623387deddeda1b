import type {
  AssistantConversations,
  AssistantSettings,
  AssistantThread,
  Embeddings,
  UpdateAssistantSettingsBody,
} from '@offprint/contract';
import type { AppError } from '../platform/http/error.ts';
import type { ModelSettings } from '../platform/model/port.ts';
import type { SettingsRow, TurnRow } from './store.ts';

/** The settings as the API shows them. `fault`: why readers get no answers. */
export function presentSettings(
  row: SettingsRow | undefined,
  fault: string | null,
  model: { settings: ModelSettings } | AppError,
  embeddings: Embeddings | null,
): AssistantSettings {
  return {
    isReady: fault === null,
    reason: fault,
    usesModel: 'settings' in model ? model.settings.model : null,
    model: row?.model ?? null,
    starterQuestions: row?.starter_questions ?? [],
    deflection: deflectionOf(row),
    allowedOrigins: row?.allowed_origins ?? [],
    embeddings,
    updatedAt: row?.updated_at.toISOString() ?? null,
  };
}

function deflectionOf(row: SettingsRow | undefined): AssistantSettings['deflection'] {
  const target = row?.deflection_target ?? null;
  if (row === undefined || row.deflection === 'none' || target === null) return { kind: 'none' };
  return row.deflection === 'email' ? { kind: 'email', email: target } : { kind: 'link', url: target };
}

export function settingsColumns({
  model,
  starterQuestions,
  deflection,
  allowedOrigins,
}: UpdateAssistantSettingsBody) {
  return {
    model,
    starter_questions: starterQuestions,
    deflection: deflection.kind,
    deflection_target:
      deflection.kind === 'email' ? deflection.email : deflection.kind === 'link' ? deflection.url : null,
    allowed_origins: [...new Set(allowedOrigins)],
  };
}

export function presentConversation(row: TurnRow): AssistantConversations['conversations'][number] {
  return {
    id: row.id,
    threadId: row.thread_id,
    timestamp: row.created_at.toISOString(),
    query: row.query,
    response: row.response,
    responseType: 'answer',
    sources: row.sources,
    resolutionStatus: row.resolution,
    queryCategory: null,
    pageUrl: row.page_url,
    rating: row.rating === null ? null : row.rating > 0 ? 'up' : 'down',
  };
}

export function presentThread(
  { id, created_at: createdAt }: { id: string; created_at: Date },
  turns: readonly TurnRow[],
): AssistantThread {
  return {
    threadId: id,
    createdAt: createdAt.toISOString(),
    messages: turns.flatMap((turn): AssistantThread['messages'] => {
      const at = turn.created_at.toISOString();
      return [
        { id: `${turn.id}-question`, role: 'user', content: turn.query, createdAt: at },
        { id: turn.id, role: 'assistant', content: turn.response, createdAt: at },
      ];
    }),
  };
}
