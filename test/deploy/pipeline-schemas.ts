/** What GitHub and GitLab document of the files that they read, as JSON Schema. */

const text = { type: 'string', minLength: 1 };

/** Metadata of an action that is run by Node; composite and container actions are left out. */
export const actionSchema = {
  type: 'object',
  required: ['name', 'description', 'runs'],
  additionalProperties: false,
  properties: {
    name: text,
    author: text,
    description: { ...text, maxLength: 125 },
    branding: {
      type: 'object',
      additionalProperties: false,
      properties: {
        icon: { type: 'string', pattern: '^[a-z0-9-]+$' },
        color: {
          enum: ['white', 'black', 'yellow', 'blue', 'green', 'orange', 'red', 'purple', 'gray-dark'],
        },
      },
    },
    inputs: {
      type: 'object',
      additionalProperties: false,
      patternProperties: {
        '^[_a-z][a-z0-9_-]*$': {
          type: 'object',
          required: ['description'],
          additionalProperties: false,
          properties: {
            description: text,
            required: { type: 'boolean' },
            default: { type: 'string' },
            deprecationMessage: text,
          },
        },
      },
    },
    outputs: {
      type: 'object',
      additionalProperties: false,
      patternProperties: {
        '^[_a-z][a-z0-9_-]*$': {
          type: 'object',
          required: ['description'],
          additionalProperties: false,
          properties: { description: text },
        },
      },
    },
    runs: {
      type: 'object',
      required: ['using', 'main'],
      additionalProperties: false,
      properties: {
        using: { enum: ['node20', 'node24'] },
        main: text,
        pre: text,
        'pre-if': text,
        post: text,
        'post-if': text,
      },
    },
  },
};

const strings = { type: 'array', items: { type: 'string' } };

/** A template with a header of inputs and jobs, as far as the keywords of jobs that deployments use. */
export const gitlabSchema = {
  type: 'object',
  required: ['header', 'jobs'],
  properties: {
    header: {
      type: 'object',
      required: ['spec'],
      additionalProperties: false,
      properties: {
        spec: {
          type: 'object',
          required: ['inputs'],
          additionalProperties: false,
          properties: {
            inputs: {
              type: 'object',
              additionalProperties: {
                type: 'object',
                additionalProperties: false,
                properties: {
                  description: text,
                  type: { enum: ['string', 'number', 'boolean', 'array'] },
                  default: {},
                  options: { type: 'array', minItems: 1, maxItems: 50 },
                  regex: text,
                },
              },
            },
          },
        },
      },
    },
    jobs: {
      type: 'object',
      minProperties: 1,
      additionalProperties: {
        type: 'object',
        required: ['script'],
        additionalProperties: false,
        properties: {
          stage: text,
          image: {
            type: 'object',
            required: ['name'],
            additionalProperties: false,
            properties: { name: text, entrypoint: strings, pull_policy: text },
          },
          needs: {},
          rules: {
            type: 'array',
            items: {
              type: 'object',
              additionalProperties: false,
              properties: {
                if: text,
                when: text,
                changes: {},
                exists: {},
                allow_failure: { type: 'boolean' },
              },
            },
          },
          resource_group: text,
          interruptible: { type: 'boolean' },
          timeout: text,
          retry: {},
          variables: { type: 'object', additionalProperties: { type: 'string' } },
          before_script: strings,
          script: { ...strings, minItems: 1 },
          after_script: strings,
          artifacts: {
            type: 'object',
            additionalProperties: false,
            properties: {
              paths: strings,
              exclude: strings,
              expire_in: text,
              when: { enum: ['on_success', 'on_failure', 'always'] },
              name: text,
              reports: { type: 'object' },
            },
          },
        },
      },
    },
  },
};
