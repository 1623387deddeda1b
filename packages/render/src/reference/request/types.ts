import type { ApiScheme, ApiServer, ParameterPlace } from '../operation.ts';

/**
 * What a request of an operation consists of, as JSON: code samples are made of it when the page is built, and the
 * playground when a reader fills it in.
 */
export interface RequestForm {
  /** Upper case. */
  readonly method: string;
  /** With `{parameters}`. */
  readonly path: string;
  readonly servers: readonly ApiServer[];
  /** Alternatives, each the schemes that a request needs together; an empty one makes authentication optional. */
  readonly security: readonly (readonly ApiScheme[])[];
  readonly parameters: readonly FormParameter[];
  /** One for each content type; the first is the default. */
  readonly bodies: readonly FormBody[];
  readonly isBodyRequired: boolean;
  /** Nested fields are open initially (`x-mint.playground.expand` of the operation). */
  readonly isExpanded?: true;
}

/** A WebSocket: its handshake, and messages to start with. */
export interface ChannelForm extends RequestForm {
  readonly messages: readonly ChannelMessage[];
}

export interface ChannelMessage {
  readonly title: string;
  readonly text: string;
}

export interface FormParameter {
  readonly name: string;
  readonly in: ParameterPlace;
  readonly isRequired: boolean;
  /** `simple`, `label`, `matrix`, `form`, `spaceDelimited`, `pipeDelimited`, `tabDelimited`, `deepObject`. */
  readonly style: string;
  readonly explode: boolean;
  readonly allowReserved: boolean;
  /** Set if the value is written in that content type. */
  readonly contentType: string | null;
  readonly field: FormField;
}

export interface FormBody {
  /** Content type: `application/json`. */
  readonly type: string;
  readonly field: FormField;
  /** How properties of form bodies are written (`encoding` of OpenAPI), by property; of lists by place: `[0]`, `[1…]`. */
  readonly encoding: Readonly<Record<string, FormEncoding>>;
}

export interface FormEncoding {
  readonly contentType?: string;
  readonly style?: string;
  readonly explode?: boolean;
  readonly allowReserved?: boolean;
}

/** A value that a reader can enter. Fields below a bounded depth are left out and entered as JSON. */
export interface FormField {
  /** JSON type; `file` for binary content; `any` if several types are possible or the type is unknown. */
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array' | 'file' | 'any';
  readonly format: string | null;
  /** Allowed values; empty if any value is. */
  readonly values: readonly unknown[];
  /** Example or default, what samples use and forms can start with; absent if none exists. */
  readonly example?: unknown;
  /** Its fields are open initially (`x-mint.playground.expand` of the schema). */
  readonly isExpanded?: true;
  /** Of an object whose properties are all known. */
  readonly properties?: readonly FormProperty[];
  /** Of an array. */
  readonly items?: FormField;
  /** How many items an example has that is made, if that is not one. */
  readonly itemsNeeded?: number;
}

export interface FormProperty {
  readonly name: string;
  readonly isRequired: boolean;
  /** Examples are without it, because it is not allowed beside another property. */
  readonly isOmitted?: true;
  readonly field: FormField;
}

/** What a reader chose and entered. Values that are `undefined` are not sent. */
export interface RequestValues {
  /** URL of the server, with its variables filled in. */
  readonly server: string;
  /** By `place:name`: `query:limit`. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** `value` is JSON data; for text and binary content types the text itself, or the name of a file. */
  readonly body: { readonly type: string; readonly value: unknown } | null;
  /** By the name of the scheme. */
  readonly credentials: Readonly<Record<string, Credentials>>;
}

/** `value` is a key or token; a scheme of type `http` `basic` has a user and a password. */
export interface Credentials {
  readonly value?: string;
  readonly user?: string;
  readonly password?: string;
}

/** An HTTP request as it is sent and as samples show it. */
export interface HttpRequest {
  readonly method: string;
  /** With its query. */
  readonly url: string;
  /** Without `Cookie`, and without `Content-Type` for `multipart`. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Already encoded. */
  readonly cookies: readonly (readonly [name: string, value: string])[];
  readonly body: HttpBody | null;
}

export type HttpBody =
  | { readonly kind: 'text'; readonly text: string }
  /** `application/x-www-form-urlencoded`, not yet encoded. */
  | { readonly kind: 'form'; readonly pairs: readonly (readonly [name: string, value: string])[] }
  /** `type` is another content type than `multipart/form-data`. */
  | { readonly kind: 'multipart'; readonly parts: readonly HttpPart[]; readonly type?: string }
  /** All of the body is a file. */
  | { readonly kind: 'file'; readonly file: string };

export interface HttpPart {
  readonly name: string;
  /** Null for a file. */
  readonly text: string | null;
  /** Name of the file; null for text. */
  readonly file: string | null;
  /** Content type; null for the default. */
  readonly type: string | null;
}
