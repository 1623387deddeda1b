import { z } from 'zod';

/**
 * Every error code and its HTTP status. Codes are stable: clients depend on them, sentences may change.
 */
export const errorCodes = {
  /** A parameter, header or body field is invalid or unknown; `param` names it. */
  invalid_request: 400,
  /** The body is not valid JSON in UTF-8. */
  invalid_json: 400,
  /** The uploaded archive is not a safe tar.gz of a docs folder. */
  invalid_archive: 400,
  /** The token of a link is unknown, expired or was already used. */
  token_invalid: 400,
  /** A path in `paths` is not a page of the site; `param` names it. */
  unknown_page: 400,
  /** The name cannot be the domain of a site: a public suffix, a local name or a host of the platform. */
  domain_refused: 400,
  /** No key, not a bearer key, malformed, unknown, expired or revoked. */
  unauthorized: 401,
  /** Wrong email or password, or the account is disabled. */
  credentials_wrong: 401,
  /** The signature of a webhook is missing or wrong. */
  signature_invalid: 401,
  /** The key lacks the scope that the operation needs. */
  scope_missing: 403,
  /** The key is limited to projects, and the operation concerns the whole organization. */
  project_limited: 403,
  /** The request would create a key, or let a member have a role, with more rights than its sender has; `param` names the field. */
  rights_exceeded: 403,
  /** The client's IP address is not in the key's allow-list. */
  address_not_allowed: 403,
  /** The stored exports of the organization have the size that its plan allows. */
  storage_quota_exceeded: 403,
  /** The organization's plan does not include the feature. */
  plan_required: 403,
  /** The member's role does not allow the operation. */
  role_required: 403,
  /** The operation is for operators of the installation. */
  operator_required: 403,
  /** A request with a session cookie that another site caused. */
  cross_site: 403,
  /** The installation does not allow this person to create an account or an organization. */
  sign_up_closed: 403,
  /** The invitation is for another email address than the one of the signed-in user. */
  invitation_mismatch: 403,
  /** A bundle link is expired, altered or used with another method. */
  link_invalid: 403,
  /** It does not exist, or belongs to another organization. */
  not_found: 404,
  /** The route exists, the method does not; `Allow` lists what does. */
  method_not_allowed: 405,
  /** An account with this email address already exists. */
  email_taken: 409,
  /** The person is already a member of the organization. */
  already_member: 409,
  /** An organization needs at least one admin. */
  last_admin: 409,
  /** Operators cannot disable or demote themselves. */
  own_account: 409,
  /** The installation does not send email. */
  mail_missing: 409,
  /** The export has not completed, or has failed. */
  not_completed: 409,
  /** The export is still queued or running; cancel it first. */
  not_finished: 409,
  /** The project has no domain on which its site could be served. */
  domain_missing: 409,
  /** Another deployment is live than the request names in `replaces`. */
  deployment_changed: 409,
  /** The deployment is not of a fork, so nothing has to be approved. */
  not_waiting: 409,
  /** The deployment is live; make another one live first. */
  deployment_live: 409,
  /** A deployment uses the export; delete the deployment first. */
  export_deployed: 409,
  /** The installation has no domain for previews. */
  preview_domain_missing: 409,
  /** The first request with this `Idempotency-Key` is still in progress. */
  idempotency_in_flight: 409,
  /** Another project of the organization has this domain. */
  domain_taken: 409,
  /** The project's source is of another kind than the operation needs. */
  source_kind_mismatch: 409,
  /** No model is configured that the project, or the agent job, may use. */
  model_missing: 409,
  /** The site cannot be searched: the message says why. */
  search_unavailable: 409,
  /** The agent job is archived and accepts no messages. */
  job_archived: 409,
  /** The agent job has the maximum number of messages. */
  job_full: 409,
  /** The transcript of the agent job was deleted after the retention time, so the job cannot continue. */
  job_emptied: 409,
  /** The assistant is not available for the site: the message says what is missing. */
  assistant_unavailable: 409,
  /** The project has another repository than the agent job works on. */
  source_changed: 409,
  /**
   * Stored files of the export are missing or damaged. They are rendered again if its source still gives the same
   * files: with `Retry-After`, that is in progress. Otherwise start a new export.
   */
  artifact_lost: 410,
  /** The body is larger than allowed. */
  body_too_large: 413,
  /** The `Content-Type` is not supported by the endpoint. */
  unsupported_media_type: 415,
  /** A byte range outside the object. */
  range_not_satisfiable: 416,
  /** The `Idempotency-Key` was used with another body. */
  idempotency_mismatch: 422,
  /** Too many requests of this key; `Retry-After` says when to retry. */
  rate_limited: 429,
  /** Too many queued and running exports of the organization. */
  too_many_exports: 429,
  /** Too many previews of the project. */
  too_many_previews: 429,
  /** The project has the maximum number of webhook endpoints. */
  too_many_endpoints: 409,
  /** Too many keys created in the last hour. */
  too_many_keys: 429,
  /** Too many failed sign-ins of the account or the IP address. */
  too_many_sign_ins: 429,
  /** Too many invitations of the organization in the last hour. */
  too_many_invitations: 429,
  /** Too many agent jobs and messages of the project in the last hour. */
  too_many_agent_uses: 429,
  /** The exports or agent jobs that the plan of the organization allows in a day (UTC) were started; `Retry-After` is the time until the next day. */
  daily_quota_exceeded: 429,
  /** The reader or the site has used the tokens of the assistant that are allowed in a day (UTC); `Retry-After` is the time until the next day. */
  assistant_limit: 429,
  /** The assistant of the site is under load: `Offprint-Challenge` is the challenge of a proof of work, which the same request must contain. */
  proof_required: 429,
  /** An internal error. The server log has the reason under the request id. */
  internal: 500,
  /** A component that the operation needs is unavailable; `Retry-After` says when to retry. */
  unavailable: 503,
} as const satisfies Record<string, number>;

export type ErrorCode = keyof typeof errorCodes;

/** The body of every error response. */
export const errorBody = z
  .object({
    error: z.string().describe('One sentence that states the error and how to fix it.'),
    code: z
      .enum(Object.keys(errorCodes) as [ErrorCode, ...ErrorCode[]])
      .optional()
      .describe('Stable error code.'),
    param: z
      .string()
      .optional()
      .describe(
        'What is wrong: a JSON pointer into the body (`/paths/0`) or the name of a parameter or header.',
      ),
    requestId: z.string().optional().describe('The `X-Request-Id` of this response, for the logs.'),
  })
  .meta({
    id: 'Error',
    examples: [
      {
        error: 'domain must be a host name only, such as docs.example.com: no scheme, port, slash or path.',
        code: 'invalid_request',
        param: '/domain',
        requestId: 'req_5f0c1d2e3b4a59687786958493a2b1c0',
      },
    ],
  });

export type ErrorBody = z.output<typeof errorBody>;
