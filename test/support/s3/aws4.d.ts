/** The part of aws4 that the double checks signatures with. */
declare module 'aws4' {
  interface Request {
    host: string;
    method: string;
    path: string;
    headers: Record<string, string>;
    service: string;
    region: string;
    signQuery?: boolean;
    extraHeadersToInclude?: Record<string, true>;
  }
  /** Adds the signature to the headers, or to the query of the path. */
  export function sign(
    request: Request,
    credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string },
  ): Request;
}
