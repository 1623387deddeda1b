/** Forges whose deliveries are understood. */
export const WEBHOOK_FORGES = ['GitHub', 'GitLab', 'Gitea', 'Forgejo'] as const;
export type WebhookForge = (typeof WEBHOOK_FORGES)[number];

/** What to do at the forge, in order. */
export function webhookSteps(forge: WebhookForge): string[] {
  switch (forge) {
    case 'GitHub':
      return [
        'Open the repository, Settings, Webhooks, and choose Add webhook.',
        'Payload URL: the URL above. Content type: application/json.',
        'Secret: the secret created here.',
        'Events: just the push event. Leave SSL verification on and save.',
        'GitHub sends a ping immediately. It is listed below as skipped.',
      ];
    case 'GitLab':
      return [
        'Open the project, Settings, Webhooks, and choose Add new webhook.',
        'URL: the URL above. Secret token: the secret created here.',
        'Trigger: Push events. Leave SSL verification on and save.',
        'Test it with Test, Push events. It is listed below.',
      ];
    case 'Gitea':
    case 'Forgejo':
      return [
        `Open the repository, Settings, Webhooks, and choose Add webhook, ${forge}.`,
        'Target URL: the URL above. Method: POST. Content type: application/json.',
        'Secret: the secret created here.',
        'Trigger on: push events. Save, then use Test delivery. It is listed below.',
      ];
  }
}
