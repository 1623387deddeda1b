/**
 * Forms as pages contain them. Most fields of a form are optional texts, so what is usual is left out: the form of a page
 * has hundreds of fields. Used by the build and by browsers: nothing but the language itself.
 */
import type { ApiScheme, ApiServer, ParameterPlace } from '../operation.ts';
import type { FormBody, FormField, FormParameter, RequestForm } from './types.ts';

export interface PackedForm extends Omit<RequestForm, 'parameters' | 'bodies'> {
  readonly parameters: readonly PackedParameter[];
  readonly bodies: readonly PackedBody[];
}

/** A field without members that are empty, and without the type `string`. */
interface PackedField {
  readonly type?: FormField['type'];
  readonly format?: string | null;
  readonly values?: readonly unknown[];
  readonly example?: unknown;
  readonly isExpanded?: true;
  readonly properties?: readonly PackedProperty[];
  readonly items?: PackedField;
  readonly itemsNeeded?: number;
}

/** The last member is 1 if the property is required, and 2 if examples are without it. */
type PackedProperty = readonly [name: string, field: PackedField, use?: 1 | 2];

interface PackedBody extends Omit<FormBody, 'field'> {
  readonly field: PackedField;
}

/** A parameter without members that are usual for its place. */
interface PackedParameter
  extends Partial<Pick<FormParameter, 'isRequired' | 'style' | 'explode' | 'allowReserved' | 'contentType'>> {
  readonly name: string;
  readonly in: ParameterPlace;
  readonly field: PackedField;
}

const styleOf = (place: ParameterPlace): string =>
  place === 'path' || place === 'header' ? 'simple' : 'form';

/** A form without its descriptions, which the page shows already. */
export function packForm(form: RequestForm): PackedForm {
  return {
    ...form,
    servers: form.servers.map(plainServer),
    security: form.security.map((schemes) => schemes.map(plainScheme)),
    parameters: form.parameters.map(packParameter),
    bodies: form.bodies.map((body) => ({ ...body, field: packField(body.field) })),
  };
}

function plainServer({ url, variables }: ApiServer): ApiServer {
  return { url, description: null, variables: variables.map((one) => ({ ...one, description: null })) };
}

const plainScheme = (scheme: ApiScheme): ApiScheme => ({ ...scheme, description: null });

function packParameter(parameter: FormParameter): PackedParameter {
  const { name, in: place, isRequired, style, explode, allowReserved, contentType, field } = parameter;
  return {
    name,
    in: place,
    ...(isRequired ? { isRequired } : {}),
    ...(style === styleOf(place) ? {} : { style }),
    ...(explode === (style === 'form') ? {} : { explode }),
    ...(allowReserved ? { allowReserved } : {}),
    ...(contentType === null ? {} : { contentType }),
    field: packField(field),
  };
}

function packField({ type, format, values, properties, items, ...field }: FormField): PackedField {
  return {
    ...(type === 'string' ? {} : { type }),
    ...(format === null ? {} : { format }),
    ...(values.length === 0 ? {} : { values }),
    ...field,
    ...(properties === undefined
      ? {}
      : {
          properties: properties.map(({ name, isRequired, isOmitted, field: own }): PackedProperty => {
            const packed = packField(own);
            return isRequired ? [name, packed, 1] : isOmitted ? [name, packed, 2] : [name, packed];
          }),
        }),
    ...(items === undefined ? {} : { items: packField(items) }),
  };
}

/** The form of which {@link packForm} made `packed`. */
export function unpackForm<Packed extends PackedForm>(packed: Packed): Packed & RequestForm {
  return {
    ...packed,
    parameters: packed.parameters.map(unpackParameter),
    bodies: packed.bodies.map((body) => ({ ...body, field: unpackField(body.field) })),
  };
}

function unpackParameter({ field, ...parameter }: PackedParameter): FormParameter {
  const { style = styleOf(parameter.in) } = parameter;
  return {
    isRequired: false,
    style,
    explode: style === 'form',
    allowReserved: false,
    contentType: null,
    ...parameter,
    field: unpackField(field),
  };
}

function unpackField({ properties, items, ...field }: PackedField): FormField {
  return {
    type: 'string',
    format: null,
    values: [],
    ...field,
    ...(properties === undefined
      ? {}
      : {
          properties: properties.map(([name, own, use]) => ({
            name,
            isRequired: use === 1,
            ...(use === 2 ? { isOmitted: true } : {}),
            field: unpackField(own),
          })),
        }),
    ...(items === undefined ? {} : { items: unpackField(items) }),
  };
}
