/** Groups of operations, with what they are for. */
export const tags = {
  'Static export': 'Start exports, poll their progress, compare and preview them, and get links to archives.',
  Deployments: 'Put sites and previews of branches online, and go back to an earlier state.',
  Discovery: 'Search sites and read their pages, for programs and agents.',
  'Agent jobs': 'Turn a prompt into a pull request, follow the job, and send it messages.',
  Assistant: 'Ask the assistant of a site, and read what readers have asked.',
  Projects: 'Repositories with docs, their domains, and their settings for exports and agent jobs.',
  Domains: 'Hosts of sites: verify that the organization owns them, redirect and release them.',
  Automation: 'Start exports on a push, at set times, and by webhooks.',
  Notifications: 'Emails and signed webhooks about failed exports, deployments and agent jobs.',
  Analytics: 'Views, visitors, searches and feedback of the readers of a site.',
  Organization: 'The organization of the caller, its members and their invitations.',
  'API keys': 'Keys of the organization, with scopes and limits.',
  'Audit and usage': 'What was changed and by whom, and what was used each month.',
  Accounts: 'Sign-up, sign-in, sessions and passwords of users.',
  Operators: 'Organizations and users of the whole deployment.',
  Health: 'State of the server and the description of this API. No key is required.',
} as const;

export type Tag = keyof typeof tags;
