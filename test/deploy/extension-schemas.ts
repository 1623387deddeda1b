/** Kinds that the chart makes and Kubernetes itself does not have: their fields as far as the chart uses them. */
import type { AnySchemaObject } from 'ajv';

const text = { type: 'string', minLength: 1 };
const texts = { type: 'object', additionalProperties: { type: 'string' } };

function object(properties: Record<string, unknown>, required: string[] = []): AnySchemaObject {
  return { type: 'object', additionalProperties: false, properties, required };
}

function kind(spec: AnySchemaObject): AnySchemaObject {
  const metadata = object({ name: text, namespace: text, labels: texts, annotations: texts }, ['name']);
  return object({ apiVersion: text, kind: text, metadata, spec }, ['metadata', 'spec']);
}

const port = { type: 'integer', minimum: 1, maximum: 65_535 };

/** JSON schemas by `<apiVersion>/<kind>`. */
export const extensions: Readonly<Record<string, AnySchemaObject>> = {
  'gateway.networking.k8s.io/v1/HTTPRoute': kind(
    object(
      {
        parentRefs: {
          type: 'array',
          minItems: 1,
          items: object({ group: text, kind: text, name: text, namespace: text, sectionName: text, port }, [
            'name',
          ]),
        },
        hostnames: { type: 'array', minItems: 1, items: text },
        rules: {
          type: 'array',
          minItems: 1,
          items: object({
            matches: {
              type: 'array',
              items: object({
                path: object(
                  { type: { enum: ['Exact', 'PathPrefix', 'RegularExpression'] }, value: { pattern: '^/' } },
                  ['type', 'value'],
                ),
              }),
            },
            backendRefs: {
              type: 'array',
              items: object({ group: text, kind: text, name: text, namespace: text, port, weight: port }, [
                'name',
                'port',
              ]),
            },
          }),
        },
      },
      ['parentRefs', 'rules'],
    ),
  ),
  'route.openshift.io/v1/Route': kind(
    object(
      {
        host: text,
        path: { type: 'string', pattern: '^/' },
        to: object({ kind: { const: 'Service' }, name: text, weight: { type: 'integer', maximum: 256 } }, [
          'kind',
          'name',
        ]),
        port: object({ targetPort: { type: ['string', 'integer'] } }, ['targetPort']),
        tls: object({
          termination: { enum: ['edge', 'passthrough', 'reencrypt'] },
          insecureEdgeTerminationPolicy: { enum: ['None', 'Allow', 'Redirect'] },
        }),
        wildcardPolicy: { enum: ['None', 'Subdomain'] },
      },
      ['to'],
    ),
  ),
  'monitoring.coreos.com/v1/PrometheusRule': kind(
    object(
      {
        groups: {
          type: 'array',
          minItems: 1,
          items: object(
            {
              name: text,
              rules: {
                type: 'array',
                minItems: 1,
                items: object(
                  {
                    alert: text,
                    expr: text,
                    for: { type: 'string', pattern: '^[0-9]+[smh]$' },
                    labels: texts,
                    annotations: texts,
                  },
                  ['alert', 'expr'],
                ),
              },
            },
            ['name', 'rules'],
          ),
        },
      },
      ['groups'],
    ),
  ),
  'monitoring.coreos.com/v1/ServiceMonitor': kind(
    object(
      {
        selector: object({ matchLabels: texts }, ['matchLabels']),
        namespaceSelector: object({ matchNames: { type: 'array', items: text }, any: { type: 'boolean' } }),
        endpoints: {
          type: 'array',
          minItems: 1,
          items: object({ port: text, path: text, interval: text, scheme: { enum: ['http', 'https'] } }, [
            'port',
          ]),
        },
      },
      ['selector', 'endpoints'],
    ),
  ),
};
