/** AsyncAPI descriptions as teams write them, for tests. */

/** A chat over WebSocket: security, parameters, handshake, traits, replies. */
export const CHAT = `asyncapi: 3.0.0
info:
  title: Chat API
  version: 2.1.0
defaultContentType: application/json
servers:
  production:
    host: '{region}.chat.example.com:443'
    pathname: /v2
    protocol: wss
    protocolVersion: '13'
    title: Production
    description: Use **this** one.
    variables:
      region:
        enum: [eu, us]
        default: eu
        description: Region of the account.
    security:
      - $ref: '#/components/securitySchemes/token'
      - $ref: '#/components/securitySchemes/login'
  telemetry:
    host: broker.example.com
    protocol: kafka-secure
channels:
  roomMessages:
    title: Messages of a room
    address: rooms/{roomId}
    description: Everything that happens in a room.
    servers:
      - $ref: '#/servers/production'
    tags:
      - name: Rooms & chat
        x-group: Rooms
    parameters:
      roomId:
        description: Id of the room.
        enum: [lobby, support]
        examples: [lobby]
        location: $message.payload#/room
    bindings:
      ws:
        method: GET
        bindingVersion: 0.1.0
        query:
          type: object
          required: [since]
          properties:
            since: { type: string, format: date-time, description: Oldest message. }
        headers:
          type: object
          properties:
            X-Client: { type: string }
    messages:
      posted: { $ref: '#/components/messages/Posted' }
      post: { $ref: '#/components/messages/Post' }
      accepted:
        title: Accepted
        payload: { type: object, properties: { id: { type: string } } }
      unused:
        summary: Nobody sends it yet.
        payload: { type: integer }
  receipts:
    address: null
    title: Receipts
    servers:
      - $ref: '#/servers/production'
    tags:
      - $ref: '#/components/tags/rooms'
    messages:
      receipt: { $ref: '#/components/messages/Receipt' }
  presence:
    address: presence
    servers:
      - $ref: '#/servers/production'
    messages:
      changed: { payload: { type: string, enum: [online, away] } }
  presenceCopy:
    title: presence
    address: presence2
    servers:
      - $ref: '#/servers/production'
  audit:
    address: chat.audit.v1
    title: Audit log
    tags: [{ name: Events }]
    servers:
      - $ref: '#/servers/telemetry'
    bindings:
      kafka:
        topic: chat.audit.v1
        partitions: 12
        topicConfiguration: { cleanup.policy: [delete] }
    messages:
      entry:
        payload:
          schemaFormat: application/vnd.apache.avro;version=1.9.0
          schema: { type: record, name: Entry, fields: [{ name: id, type: string }] }
        bindings:
          kafka: { key: { type: string, description: Id of the room. } }
operations:
  onPosted:
    action: send
    title: Message posted
    description: Sent to everyone in the room.
    channel: { $ref: '#/channels/roomMessages' }
    messages:
      - $ref: '#/channels/roomMessages/messages/posted'
  postMessage:
    action: receive
    channel: { $ref: '#/channels/roomMessages' }
    security:
      - $ref: '#/components/securitySchemes/writer'
    messages:
      - $ref: '#/channels/roomMessages/messages/post'
    reply:
      address: { location: $message.header#/replyTo, description: Where to wait. }
      channel: { $ref: '#/channels/receipts' }
      messages:
        - $ref: '#/channels/receipts/messages/receipt'
  acceptMessage:
    action: send
    summary: Sent once.
    channel: { $ref: '#/channels/roomMessages' }
    messages:
      - $ref: '#/channels/roomMessages/messages/accepted'
  writeAudit:
    action: send
    channel: { $ref: '#/channels/audit' }
components:
  tags:
    rooms: { name: Rooms & chat, x-group: Rooms }
  securitySchemes:
    token: { type: httpApiKey, name: token, in: query, description: The token of a user. }
    login: { type: userPassword, description: Account of the team. }
    writer:
      type: oauth2
      flows:
        clientCredentials:
          tokenUrl: https://id.example.com/token
          availableScopes: { write: Post messages }
      scopes: [write]
  messageTraits:
    traced:
      headers:
        type: object
        properties:
          trace-id: { type: string, format: uuid, description: Id of the request. }
      correlationId:
        location: $message.header#/trace-id
        description: The same in all messages.
  schemas:
    Author:
      type: object
      properties:
        name: { type: string }
        friends: { type: array, items: { $ref: '#/components/schemas/Author' } }
  messages:
    Posted:
      name: room.posted
      title: Posted
      summary: A new message.
      traits: [{ $ref: '#/components/messageTraits/traced' }]
      headers:
        type: object
        required: [room]
        properties: { room: { type: string } }
      payload:
        type: object
        required: [text]
        properties:
          text: { type: string, maxLength: 4000 }
          author: { $ref: '#/components/schemas/Author' }
          secret: { type: string, writeOnly: true }
      examples:
        - name: greeting
          headers: { room: lobby }
          payload: { text: Hello }
    Post:
      payload:
        schemaFormat: application/schema+json;version=draft-07
        schema:
          type: object
          required: [text]
          properties:
            text: { type: string, examples: [Hello] }
            id: { type: string, readOnly: true }
    Receipt:
      title: Receipt
      payload: { type: object, properties: { at: { type: string, format: date-time } } }
`;

/** Orders over MQTT and WebSocket in JSON, with messages and schemas in other files of the folder. */
export const ORDERS: Readonly<Record<string, string>> = {
  'apis/orders.json': JSON.stringify(
    {
      asyncapi: '3.0.0',
      info: { title: 'Orders', version: '1.0.0' },
      servers: {
        broker: {
          host: 'mqtt.example.com',
          protocol: 'mqtts',
          security: [{ $ref: '#/components/securitySchemes/certificate' }],
        },
      },
      channels: {
        orderPlaced: {
          address: 'orders/{country}/placed',
          summary: 'New orders.',
          parameters: { country: { default: 'de', description: 'Country of the shop.' } },
          messages: { placed: { $ref: 'shared/messages.yaml#/OrderPlaced' } },
          bindings: { mqtt: { $ref: './shared/bindings.json#/mqtt' } },
        },
      },
      operations: {
        placed: {
          action: 'send',
          channel: { $ref: '#/channels/orderPlaced' },
          bindings: { mqtt: { qos: 2, retain: true } },
        },
      },
      components: { securitySchemes: { certificate: { type: 'X509' } } },
    },
    null,
    2,
  ),
  'apis/shared/messages.yaml': `OrderPlaced:
  title: Order placed
  contentType: application/json
  payload:
    $ref: 'schemas.json#/Order'
`,
  'apis/shared/schemas.json': JSON.stringify({
    Order: {
      type: 'object',
      properties: { id: { type: 'string' }, lines: { type: 'array', items: { $ref: '#/Line' } } },
    },
    Line: { type: 'object', properties: { sku: { type: 'string' }, count: { type: 'integer', minimum: 1 } } },
  }),
  'apis/shared/bindings.json': JSON.stringify({ mqtt: { bindingVersion: '0.2.0' } }),
};
