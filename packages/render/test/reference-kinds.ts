/** A site with each kind of reference page. `server` is the URL to which its playground sends requests. */
export function referenceKinds(server: string): Record<string, string> {
  const docs = {
    name: 'Petstore',
    theme: 'mint',
    colors: { primary: '#166e3f' },
    api: { examples: { languages: ['bash', 'python', 'javascript', 'go'] } },
    navigation: {
      tabs: [
        { tab: 'Guide', pages: ['index', 'models/pet'] },
        {
          tab: 'API',
          groups: [
            { group: 'Petstore', openapi: { source: 'api.json', directory: 'ref' } },
            { group: 'Events', asyncapi: { source: 'events.json', directory: 'ref' } },
          ],
        },
      ],
    },
  };
  return {
    'docs.json': JSON.stringify(docs),
    'index.mdx': '---\ntitle: Start\n---\n\nSee [how to list pets](/ref/pets/list-pets).\n',
    'models/pet.mdx': '---\ntitle: Pet\nopenapi-schema: "api.json Pet"\n---\n',
    'api.json': JSON.stringify(api(server)),
    'events.json': JSON.stringify(EVENTS),
  };
}

/** Output path of the page of each kind. */
export const KINDS: Readonly<Record<string, string>> = {
  'GET with query parameters': 'ref/pets/list-pets.html',
  'POST with nested schemas': 'ref/pets/create-a-pet.html',
  'multipart body': 'ref/pets/upload-a-photo.html',
  'form body': 'ref/tokens/create-a-token.html',
  'variants with a discriminator': 'ref/payments/pay.html',
  stream: 'ref/events/stream-events-of-a-pet.html',
  webhook: 'ref/pet-adopted.html',
  callbacks: 'ref/events/subscribe.html',
  'several security schemes': 'ref/pets/delete-a-pet.html',
  channel: 'ref/websockets/chat-room.html',
  schema: 'models/pet.html',
};

const ref = (name: string): { $ref: string } => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: object, more: object = {}) => ({
  content: { 'application/json': { schema, ...more } },
});
const ok = (schema: object, description = 'OK') => ({ description, ...json(schema) });
const PROBLEM = { description: 'The request is not valid.', ...json(ref('Problem')) };

const LONG_PROPERTY = 'preferredContactMethodOfTheEmergencyContactPersonOfTheOwner';
const ID = {
  name: 'petId',
  in: 'path',
  required: true,
  description: 'Id of the pet.',
  schema: { type: 'string', format: 'uuid' },
};

function api(server: string) {
  return {
    openapi: '3.1.0',
    info: { title: 'Petstore', version: '1.0' },
    servers: [
      { url: server, description: 'Local' },
      {
        url: 'https://{region}.petstore.example/v1',
        variables: { region: { default: 'eu', enum: ['eu', 'us'] } },
      },
    ],
    security: [{ key: [] }],
    tags: [{ name: 'pets' }, { name: 'payments' }, { name: 'tokens' }, { name: 'events' }],
    paths: { '/pets': PETS, ...REST },
    webhooks: {
      'pet-adopted': {
        post: {
          summary: 'Pet adopted',
          description: 'Sent when a pet has a new owner.',
          requestBody: json(ref('Pet')),
          responses: { 200: { description: 'Return any status of 2xx.' } },
        },
      },
    },
    components: {
      securitySchemes: {
        key: {
          type: 'apiKey',
          in: 'header',
          name: 'X-Api-Key',
          description: 'Key of your [account](https://petstore.example/keys).',
        },
        basic: { type: 'http', scheme: 'basic' },
        bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
        oauth: {
          type: 'oauth2',
          flows: {
            authorizationCode: {
              authorizationUrl: 'https://petstore.example/authorize',
              tokenUrl: 'https://petstore.example/token',
              scopes: { 'pets:write': 'Change pets', 'pets:read': 'Read pets' },
            },
          },
        },
      },
      schemas: SCHEMAS,
    },
  };
}

const PETS = {
  get: {
    operationId: 'listPets',
    tags: ['pets'],
    summary: 'List pets',
    description: 'Returns pets that match **all** filters, newest first.',
    parameters: [
      {
        name: 'limit',
        in: 'query',
        description: 'Pets on one page.',
        schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
      },
      {
        name: 'kind',
        in: 'query',
        description: 'Kinds to include.',
        schema: {
          type: 'array',
          items: { type: 'string', enum: ['cat', 'dog', 'guinea pig', 'rabbit', 'horse'] },
        },
      },
      {
        name: 'filter',
        in: 'query',
        style: 'deepObject',
        schema: {
          type: 'object',
          properties: { born_after: { type: 'string', format: 'date' }, owner: { type: 'string' } },
        },
      },
      {
        name: 'include_deleted_pets_and_pets_of_deleted_owners',
        in: 'query',
        deprecated: true,
        schema: { type: 'boolean' },
      },
      { name: 'Accept-Language', in: 'header', schema: { type: 'string' }, example: 'de' },
      { name: 'session', in: 'cookie', schema: { type: 'string' } },
    ],
    responses: {
      200: {
        description: 'A page of pets.',
        headers: { 'X-Next-Page': { description: 'Token of the next page.', schema: { type: 'string' } } },
        ...json({
          type: 'object',
          required: ['pets'],
          properties: { pets: { type: 'array', items: ref('Pet') }, total: { type: 'integer' } },
        }),
      },
      400: PROBLEM,
      429: { description: 'Too many requests.' },
    },
  },
  post: {
    operationId: 'createPet',
    tags: ['pets'],
    summary: 'Create a pet',
    requestBody: { required: true, description: 'The new pet.', ...json(ref('Pet')) },
    responses: { 201: ok(ref('Pet'), 'Created.'), 400: PROBLEM },
  },
};

const REST = {
  '/pets/{petId}': {
    delete: {
      operationId: 'deletePet',
      tags: ['pets'],
      summary: 'Delete a pet',
      deprecated: true,
      parameters: [ID],
      security: [{ bearer: [] }, { oauth: ['pets:write'] }, { key: [], basic: [] }],
      responses: { 204: { description: 'Deleted.' }, 404: PROBLEM },
    },
  },
  '/pets/{petId}/photo': {
    put: {
      operationId: 'uploadPhoto',
      tags: ['pets'],
      summary: 'Upload a photo',
      parameters: [ID],
      requestBody: {
        content: {
          'multipart/form-data': {
            schema: {
              type: 'object',
              required: ['photo'],
              properties: {
                photo: { type: 'string', format: 'binary', description: 'At most 5 MB.' },
                caption: { type: 'string', maxLength: 200 },
                tags: { type: 'array', items: { type: 'string' } },
              },
            },
          },
          'image/png': {},
        },
      },
      responses: { 200: ok({ type: 'object', properties: { url: { type: 'string', format: 'uri' } } }) },
    },
  },
  '/tokens': {
    post: {
      operationId: 'createToken',
      tags: ['tokens'],
      summary: 'Create a token',
      requestBody: {
        required: true,
        content: {
          'application/x-www-form-urlencoded': {
            schema: {
              type: 'object',
              required: ['grant_type'],
              properties: {
                grant_type: { type: 'string', enum: ['client_credentials', 'refresh_token'] },
                scope: { type: 'string', default: 'pets:read' },
              },
            },
          },
        },
      },
      responses: {
        200: ok({
          type: 'object',
          properties: { access_token: { type: 'string' }, expires_in: { type: 'integer' } },
        }),
      },
    },
  },
  '/payments': {
    post: {
      operationId: 'pay',
      tags: ['payments'],
      summary: 'Pay',
      requestBody: json({
        type: 'object',
        properties: {
          amount: { type: 'number', exclusiveMinimum: 0 },
          method: {
            description: 'How the owner pays.',
            oneOf: [ref('Card'), ref('Transfer'), ref('Voucher')],
            discriminator: {
              propertyName: 'type',
              mapping: { card: '#/components/schemas/Card', transfer: '#/components/schemas/Transfer' },
            },
          },
          note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
        },
      }),
      responses: { 200: ok({ oneOf: [ref('Card'), ref('Transfer')] }) },
    },
  },
  '/pets/{petId}/events': {
    get: {
      operationId: 'streamEvents',
      tags: ['events'],
      summary: 'Stream events of a pet',
      parameters: [ID],
      responses: {
        200: {
          description: 'Events as they happen.',
          content: {
            'text/event-stream': {
              schema: { type: 'object', properties: { event: { type: 'string' }, data: ref('Pet') } },
            },
          },
        },
      },
    },
  },
  '/subscriptions': {
    post: {
      operationId: 'subscribe',
      tags: ['events'],
      summary: 'Subscribe',
      requestBody: json({
        type: 'object',
        required: ['callbackUrl'],
        properties: { callbackUrl: { type: 'string', format: 'uri' } },
      }),
      callbacks: {
        onPetChange: {
          '{$request.body#/callbackUrl}': {
            post: {
              summary: 'A pet has changed',
              requestBody: json(ref('Pet')),
              responses: { 204: { description: 'Received.' } },
            },
          },
        },
      },
      responses: { 201: ok({ type: 'object', properties: { id: { type: 'string' } } }, 'Subscribed.') },
    },
  },
};

const SCHEMAS = {
  Pet: {
    type: 'object',
    required: ['name', 'kind'],
    properties: {
      id: { type: 'string', format: 'uuid', readOnly: true },
      name: {
        type: 'string',
        minLength: 1,
        maxLength: 80,
        description: 'Name as shown to visitors.',
        examples: ['Rex'],
      },
      kind: { type: 'string', enum: ['cat', 'dog', 'guinea pig'], description: 'What it is.' },
      owner: ref('Owner'),
      vaccinations: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            vaccine: { type: 'string' },
            date: { type: 'string', format: 'date' },
            vet: { type: 'object', properties: { name: { type: 'string' }, address: ref('Address') } },
          },
        },
      },
      labels: { type: 'object', additionalProperties: { type: 'string' } },
      parents: { type: 'array', items: ref('Pet'), maxItems: 2 },
      pin: { type: ['string', 'null'], writeOnly: true, pattern: '^[0-9]{4}$' },
    },
  },
  Owner: {
    type: 'object',
    properties: {
      email: { type: 'string', format: 'email' },
      [LONG_PROPERTY]: {
        type: 'string',
        enum: ['email', 'phone'],
        description: 'See [contacts](https://petstore.example/contacts).',
      },
      address: ref('Address'),
    },
  },
  Address: {
    type: 'object',
    properties: {
      street: { type: 'string' },
      city: { type: 'string' },
      country: { type: 'string', default: 'DE' },
    },
  },
  Card: {
    title: 'Card',
    type: 'object',
    required: ['type', 'number'],
    properties: { type: { const: 'card' }, number: { type: 'string', pattern: '^[0-9]{12,19}$' } },
  },
  Transfer: {
    title: 'Bank transfer in the Single Euro Payments Area',
    type: 'object',
    required: ['type'],
    properties: { type: { const: 'transfer' }, iban: { type: 'string' } },
  },
  Voucher: { type: 'object', properties: { type: { const: 'voucher' }, code: { type: 'string' } } },
  Problem: {
    type: 'object',
    properties: {
      title: { type: 'string' },
      detail: { type: 'string' },
      errors: {
        type: 'array',
        items: { type: 'object', properties: { field: { type: 'string' }, message: { type: 'string' } } },
      },
    },
  },
};

const EVENTS = {
  asyncapi: '3.0.0',
  info: { title: 'Petstore events', version: '1.0' },
  servers: { production: { host: 'ws.petstore.example', protocol: 'wss', description: 'Production' } },
  channels: {
    chat: {
      title: 'Chat room',
      description: 'Messages between owners and vets.',
      address: '/rooms/{room}',
      parameters: { room: { description: 'Id of the room.' } },
      messages: {
        said: {
          title: 'Message',
          payload: {
            type: 'object',
            required: ['text'],
            properties: { text: { type: 'string' }, author: { type: 'string' } },
          },
        },
        joined: {
          title: 'Owner joined',
          payload: { type: 'object', properties: { owner: { type: 'string' } } },
        },
      },
    },
  },
  operations: {
    receiveMessage: {
      action: 'send',
      channel: { $ref: '#/channels/chat' },
      messages: [{ $ref: '#/channels/chat/messages/said' }, { $ref: '#/channels/chat/messages/joined' }],
    },
    sendMessage: {
      action: 'receive',
      channel: { $ref: '#/channels/chat' },
      messages: [{ $ref: '#/channels/chat/messages/said' }],
    },
  },
};
