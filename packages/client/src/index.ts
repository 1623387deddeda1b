export type {
  AgentJob,
  AgentJobDiff,
  AgentJobEvent,
  AgentSettings,
  ExportBundle,
  ExportJob,
  ExportWarning,
} from '@offprint/contract';
export {
  type AgentJobListQuery,
  type Client,
  createClient,
  type ExportListQuery,
  type ListQuery,
} from './client.ts';
export { ApiError, ConnectionError } from './error.ts';
export type { FollowOptions } from './follow.ts';
export type { CallOptions, ClientOptions } from './request.ts';
export type { WaitOptions } from './wait.ts';
