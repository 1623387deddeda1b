import type { HttpRequest } from '../request/types.ts';
import { bashSample } from './bash.ts';
import { cppSample, cSample } from './c.ts';
import { csharpSample } from './csharp.ts';
import { dartSample } from './dart.ts';
import { goSample } from './go.ts';
import { javaSample } from './java.ts';
import { javascriptSample, nodeSample, typescriptSample } from './javascript.ts';
import { kotlinSample } from './kotlin.ts';
import { findLanguage, type SampleLanguage, sampleLanguages } from './languages.ts';
import { phpSample } from './php.ts';
import { powershellSample } from './powershell.ts';
import { pythonSample } from './python.ts';
import { rubySample } from './ruby.ts';
import { rustSample } from './rust.ts';
import { swiftSample } from './swift.ts';

export { findLanguage, type SampleLanguage, sampleLanguages };

/** By the key of the language. */
const samples: ReadonlyMap<string, (request: HttpRequest) => string> = new Map([
  ['bash', bashSample],
  ['python', pythonSample],
  ['javascript', javascriptSample],
  ['node', nodeSample],
  ['php', phpSample],
  ['go', goSample],
  ['java', javaSample],
  ['ruby', rubySample],
  ['powershell', powershellSample],
  ['swift', swiftSample],
  ['csharp', csharpSample],
  ['dotnet', csharpSample],
  ['typescript', typescriptSample],
  ['c', cSample],
  ['c++', cppSample],
  ['kotlin', kotlinSample],
  ['rust', rustSample],
  ['dart', dartSample],
]);

/**
 * The code that sends a request, without a line end after it. A program whose values are written as strings of the
 * language: none can end its string.
 */
export function sampleOf(language: SampleLanguage, request: HttpRequest): string {
  const sample = samples.get(language.key);
  if (sample === undefined) throw new Error(`No code samples in ${language.key}.`);
  return sample(request);
}
