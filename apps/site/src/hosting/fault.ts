import type { DeploymentError, DeploymentErrorCode } from '../error.ts';

/** An error that keeps a host from serving what the platform names, or this process from following the platform. */
export interface Fault {
  code: DeploymentErrorCode;
  message: string;
  at: string;
}

export function faultOf({ code, message }: DeploymentError): Fault {
  return { code, message, at: new Date().toISOString() };
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
