import type { ColumnType } from 'kysely';

/** Set by the database when left out (`DEFAULT now()`); read as a Date, millisecond precision. */
export type Timestamp = ColumnType<Date, Date | string | undefined, Date | string>;
export type RequiredTimestamp = ColumnType<Date, Date | string, Date | string>;
export type NullableTimestamp = ColumnType<
  Date | null,
  Date | string | null | undefined,
  Date | string | null
>;

/** jsonb: read as a value, written as text made by `json()`. */
export type Json<Value> = ColumnType<Value, string, string>;
export type NullableJson<Value> = ColumnType<Value | null, string | null | undefined, string | null>;
export type GeneratedJson<Value> = ColumnType<Value, string | undefined, string>;

/** A column that is NULL until something sets it. */
export type Optional<Value> = ColumnType<Value | null, Value | null | undefined, Value | null>;

/** A column that the database computes from others of its row. */
export type NullableComputed<Value> = ColumnType<Value | null, never, never>;
