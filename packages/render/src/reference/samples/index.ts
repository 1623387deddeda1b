import type { HttpRequest } from '../request/types.ts';
import { bashSample } from './bash.ts';
import { cppSample, cSample } from './c.ts';
import { csharpSample } from './csharp.ts';
import { dartSample } from './dart.ts';
import { goSample } from './go.ts';
import { javaSample } from './java.ts';
import { javascriptSample, nodeSample, typescriptSample } from './javascript.ts';
import { kotlinSample } from './kotlin.ts';
import { phpSample } from './php.ts';
import { powershellSample } from './powershell.ts';
import { pythonSample } from './python.ts';
import { rubySample } from './ruby.ts';
import { rustSample } from './rust.ts';
import { swiftSample } from './swift.ts';
import { multipartNote } from './text.ts';

/** A programming language of code samples. */
export interface SampleLanguage {
  readonly key: string;
  /** Other names in `docs.json`, lower case. */
  readonly aliases: readonly string[];
  /** What readers see. */
  readonly label: string;
  /** Language of the code block. */
  readonly lang: string;
  /**
   * The code that sends a request, without a line end after it. Values are strings of the language: none can end its
   * string.
   */
  write(request: HttpRequest): string;
}

const language = (
  key: string,
  label: string,
  lang: string,
  write: SampleLanguage['write'],
  aliases: readonly string[] = [],
): SampleLanguage => ({
  key,
  aliases,
  label,
  lang,
  write: (request) => multipartNote(request, key) ?? write(request),
});

/** In the order in which they are offered. */
export const sampleLanguages: readonly SampleLanguage[] = [
  language('bash', 'cURL', 'bash', bashSample, ['curl', 'sh', 'shell']),
  language('python', 'Python', 'python', pythonSample, ['py', 'python3', 'requests']),
  language('javascript', 'JavaScript', 'javascript', javascriptSample, ['js', 'fetch']),
  language('node', 'Node.js', 'javascript', nodeSample, ['nodejs', 'node.js']),
  language('php', 'PHP', 'php', phpSample),
  language('go', 'Go', 'go', goSample, ['golang']),
  language('java', 'Java', 'java', javaSample),
  language('ruby', 'Ruby', 'ruby', rubySample, ['rb']),
  language('powershell', 'PowerShell', 'powershell', powershellSample, ['ps1', 'pwsh']),
  language('swift', 'Swift', 'swift', swiftSample),
  language('csharp', 'C#', 'csharp', csharpSample, ['c#', 'cs']),
  language('dotnet', '.NET', 'csharp', csharpSample, ['.net', 'net']),
  language('typescript', 'TypeScript', 'typescript', typescriptSample, ['ts']),
  language('c', 'C', 'c', cSample, ['libcurl']),
  language('c++', 'C++', 'cpp', cppSample, ['cpp', 'cplusplus', 'cxx']),
  language('kotlin', 'Kotlin', 'kotlin', kotlinSample, ['kt']),
  language('rust', 'Rust', 'rust', rustSample, ['rs']),
  language('dart', 'Dart', 'dart', dartSample, ['flutter']),
];

/** The language of a key or alias, in any case; null if it is unknown. */
export function findLanguage(name: string): SampleLanguage | null {
  const key = name.trim().toLowerCase();
  return sampleLanguages.find((one) => one.key === key || one.aliases.includes(key)) ?? null;
}
