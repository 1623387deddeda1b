/**
 * Cuts the parts of OpenAI's description that the scripted model server speaks:
 * `node test/support/agent/openapi/vendor.ts <openapi.json of github.com/openai/openai-openapi> <its commit>`.
 */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CutSource, cutOpenApi } from '../../openapi/cut.ts';

const [file = '', commit = ''] = process.argv.slice(2);
const bytes = readFileSync(file);
const source: CutSource = {
  source: 'https://github.com/openai/openai-openapi/blob/master/openapi.json',
  commit,
  sha256: createHash('sha256').update(bytes).digest('hex'),
  license: 'MIT, Copyright (c) OpenAI (https://openai.com)',
};
const schema = (name: string): string => `#/components/schemas/${name}`;
const ITEMS = ['OutputMessage', 'FunctionToolCall', 'ReasoningItem'];
const EVENTS = [
  'ResponseCreatedEvent',
  'ResponseInProgressEvent',
  'ResponseOutputItemAddedEvent',
  'ResponseOutputItemDoneEvent',
  'ResponseContentPartAddedEvent',
  'ResponseContentPartDoneEvent',
  'ResponseTextDeltaEvent',
  'ResponseTextDoneEvent',
  'ResponseFunctionCallArgumentsDeltaEvent',
  'ResponseFunctionCallArgumentsDoneEvent',
  'ResponseReasoningSummaryPartAddedEvent',
  'ResponseReasoningSummaryPartDoneEvent',
  'ResponseReasoningSummaryTextDeltaEvent',
  'ResponseReasoningSummaryTextDoneEvent',
  'ResponseCompletedEvent',
  'ResponseIncompleteEvent',
  'ResponseFailedEvent',
  'ResponseErrorEvent',
];
const cut = cutOpenApi(JSON.parse(bytes.toString()), {
  roots: [
    'CreateChatCompletionRequest',
    'CreateChatCompletionStreamResponse',
    'CreateResponse',
    'ResponseStreamEvent',
    'ErrorResponse',
  ].map(schema),
  only: {
    [schema('ResponseStreamEvent')]: EVENTS,
    [schema('OutputItem')]: ITEMS,
    [schema('InputItem')]: ['EasyInputMessage', 'Item'],
    [schema('Item')]: [...ITEMS, 'InputMessage', 'FunctionCallOutputItemParam'],
    [schema('Tool')]: ['FunctionTool'],
    [schema('ToolChoiceParam')]: ['ToolChoiceOptions', 'ToolChoiceFunction'],
    [schema('InputContent')]: ['InputTextContent'],
    [schema('Annotation')]: ['UrlCitationBody'],
  },
});
const text = JSON.stringify({ ...source, ...cut });
writeFileSync(join(import.meta.dirname, 'openai.json'), `${text}\n`);
