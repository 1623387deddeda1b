export type { ExportJob, ExportWarning } from '@offprint/contract';
export { type Client, createClient, type ExportListQuery, type ListQuery } from './client.ts';
export { ApiError, ConnectionError } from './error.ts';
export type { CallOptions, ClientOptions } from './request.ts';
export type { WaitOptions } from './wait.ts';
